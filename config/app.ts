import { defineConfig } from '@adonisjs/core/http'

import { applicationKeys } from '#configuration/application_key'
import { servedOf, surfacesOf } from '#configuration/processes'
import { rejectBadUrl } from '#http/request_listener'
import { clock } from '#kernel/clock'
import type { AppSettings } from '#settings/app_settings'
import { env } from '#start/env'
import http from './http.js'

const settings: AppSettings = {
  appUrl: env.PUBLIC_URL,
  appKeys: applicationKeys(env),
  isProduction: env.NODE_ENV === 'production',
  hasDocs: env.DOCS_ENABLED,
  surfaces: surfacesOf(env),
  identityUrl: env.IDENTITY_PUBLIC_URL ?? env.IDENTITY_URL,
  served: servedOf(env),
}

export default {
  ...settings,
  http: defineConfig({
    createRequestId: () => clock.uuid(),
    useAsyncLocalStorage: true,
    onBadUrl: rejectBadUrl,
    trustProxy: http.isTrustedProxy,
    serializeJSON: JSON.stringify,
    qs: {
      parse: { depth: 5, parameterLimit: 1000, arrayLimit: 20, comma: false, allowSparse: false },
    },
    router: { matcher: 'tree' },
    keepAliveTimeout: 65_000,
  }),
}
