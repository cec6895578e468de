import { defineConfig } from '@adonisjs/core/http'

import { trustedProxies } from '#http/trusted_proxies'
import { clock } from '#kernel/clock'
import { env } from '#start/env'

export const http = defineConfig({
  createRequestId: () => clock.uuid(),
  trustProxy: trustedProxies(env.TRUSTED_PROXIES),
  serializeJSON: JSON.stringify,
  qs: {
    parse: { depth: 5, parameterLimit: 1000, arrayLimit: 20, comma: false, allowSparse: false },
  },
  router: { matcher: 'tree' },
  keepAliveTimeout: 65_000,
})
