import type { AuthSettings } from '#auth/auth_settings'
import { appliesToAll } from '#auth/verification/permission_policy'
import { env } from '#start/env'

const settings: AuthSettings = {
  removalLimit: env.IDENTITY_GONE_AT_ONCE,
  tokenSources: { cookie: `${env.COOKIE_PREFIX}access_token`, origins: env.CORS_ORIGINS },
  permissionPolicy: appliesToAll,
}

export default settings
