import type { IncomingMessage, ServerResponse } from 'node:http'

import { defineConfig } from '@adonisjs/core/http'

import { JSON_TYPE } from '#http/answer'
import { BadRequest, envelopeOf } from '#http/failures'
import { trustedProxies } from '#http/trusted_proxies'
import { clock } from '#runtime/clock'
import { env } from '#start/env'

const badUrl = new BadRequest('The path holds a malformed escape sequence')

export const http = defineConfig({
  createRequestId: () => clock.uuid(),
  trustProxy: trustedProxies(env.TRUSTED_PROXIES),
  serializeJSON: JSON.stringify,
  qs: {
    parse: { depth: 5, parameterLimit: 1000, arrayLimit: 20, comma: false, allowSparse: false },
  },
  router: { matcher: 'tree' },
  keepAliveTimeout: 65_000,
  onBadUrl(_request: IncomingMessage, response: ServerResponse) {
    response.writeHead(badUrl.status, { 'content-type': JSON_TYPE })
    response.end(JSON.stringify(envelopeOf(badUrl)))
  },
})
