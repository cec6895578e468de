import type { IdentitySettings } from '#identity/identity_settings'
import { env } from '#start/env'

const settings: IdentitySettings = {
  platform: { realm: env.REALM, clientId: env.CLIENT_ID },
  accessTokenSeconds: env.ACCESS_TOKEN_SECONDS,
  refreshTokenSeconds: env.REFRESH_TOKEN_SECONDS,
  uiOrigins: env.UI_ORIGINS,
  logoutOrigins: env.LOGOUT_ORIGINS,
  runsWorker: env.JOBS.includes('worker'),
  secrets: {
    NODE_ENV: env.NODE_ENV,
    HOST: env.HOST,
    DATA_DIR: env.DATA_DIR,
    IDENTITY_ADMIN_PASSWORD: env.IDENTITY_ADMIN_PASSWORD,
    CLIENT_SECRET: env.CLIENT_SECRET,
    WORKER_CLIENT_SECRET: env.WORKER_CLIENT_SECRET,
    APP_KEY: env.APP_KEY,
  },
}

export default settings
