import { Switch } from '#configuration/switch'
import { env } from '#start/env'

/** Whether nodes take part in analyses without having been asked. */
export const skipsApproval = new Switch(env.SKIP_ANALYSIS_APPROVAL)
