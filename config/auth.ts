import type { AuthSettings } from '#auth/auth_settings'
import { env } from '#start/env'

const settings: AuthSettings = {
  removalLimit: env.IDENTITY_GONE_AT_ONCE,
  tokenSources: { cookie: `${env.COOKIE_PREFIX}access_token`, origins: env.CORS_ORIGINS },
}

export default settings
