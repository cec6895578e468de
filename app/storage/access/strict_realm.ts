import { Switch } from '#configuration/switch'
import { env } from '#start/env'

/** Whether clients and robots need to participate in an analysis to access buckets of other realms. */
export const strictRealm = new Switch(env.STORAGE_STRICT_REALM)
