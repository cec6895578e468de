import { Switch } from '#configuration/switch'
import { env } from '#start/env'

/** Whether analyses run without the approval of nodes. */
export const skipsApproval = new Switch(env.SKIP_ANALYSIS_APPROVAL)
