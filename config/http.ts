import type { HttpSettings } from '#http/http_settings'
import { consoleAddresses, trustedProxies } from '#http/trusted_proxies'
import { env } from '#start/env'
import * as cors from './cors.js'

const isTrustedProxy = trustedProxies([...env.TRUSTED_PROXIES, ...consoleAddresses(env)])

const settings: HttpSettings = {
  isTrustedProxy,
  connectionLimits: {
    all: env.CONNECTIONS_MAX,
    perAddress: env.CONNECTIONS_MAX_PER_ADDRESS,
    isShared: isTrustedProxy,
  },
  rateLimits: {
    anonymous: env.RATE_LIMIT_ANONYMOUS,
    user: env.RATE_LIMIT_USER,
    client: env.RATE_LIMIT_CLIENT,
  },
  waitingLimits: {
    perIdentity: env.STREAMS_MAX_PER_IDENTITY,
    perRealm: env.STREAMS_MAX_PER_REALM,
    perAddress: env.CONNECTIONS_MAX_PER_ADDRESS,
  },
  cors,
  headersTimeoutMs: env.HEADERS_MAX_SECONDS * 1_000,
  bodyTimeoutMs: env.REQUEST_MAX_SECONDS * 1_000,
}

export default settings
