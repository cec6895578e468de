import { defineConfig } from '@adonisjs/core/http'

import { isTrustedProxy } from '#http/client_address'
import { clock } from '#kernel/clock'

export const http = defineConfig({
  createRequestId: () => clock.uuid(),
  trustProxy: isTrustedProxy,
  serializeJSON: JSON.stringify,
  qs: {
    parse: { depth: 5, parameterLimit: 1000, arrayLimit: 20, comma: false, allowSparse: false },
  },
  router: { matcher: 'tree' },
  keepAliveTimeout: 65_000,
})
