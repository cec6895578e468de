import type { IncomingMessage } from 'node:http'

import proxyAddress from 'proxy-addr'

import { httpSettings } from './http_settings.js'

/** The address of the client, which trusted proxies report. Within a route, `ctx.request.ip()` is the same. */
export const clientAddress = (request: IncomingMessage): string =>
  proxyAddress(request, httpSettings().isTrustedProxy)
