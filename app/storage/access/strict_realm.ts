import { Switch } from '#configuration/switch'
import { env } from '#start/env'

/** Whether clients and robots of other realms have to be let in by an analysis they take part in. */
export const strictRealm = new Switch(env.STORAGE_STRICT_REALM)
