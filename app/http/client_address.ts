import type { IncomingMessage } from 'node:http'

import proxyAddress from 'proxy-addr'

import { trustedProxies } from './trusted_proxies.js'
import { env } from '#start/env'

/** Whether an address belongs to a proxy that this installation trusts. */
export const isTrustedProxy = trustedProxies(env.TRUSTED_PROXIES)

/** The address of the client, which trusted proxies report. Within a route, `ctx.request.ip()` is the same. */
export const clientAddress = (request: IncomingMessage): string =>
  proxyAddress(request, isTrustedProxy)
