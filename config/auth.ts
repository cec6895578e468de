import type { AuthSettings } from '#auth/auth_settings'
import { env } from '#start/env'

const settings: AuthSettings = { removalLimit: env.IDENTITY_GONE_AT_ONCE }

export default settings
