import type { HttpSettings } from '#http/http_settings'
import { trustedProxies } from '#http/trusted_proxies'
import { env } from '#start/env'

const isTrustedProxy = trustedProxies(env.TRUSTED_PROXIES)

const settings: HttpSettings = {
  isTrustedProxy,
  connectionLimits: {
    all: env.CONNECTIONS_MAX,
    perAddress: env.CONNECTIONS_MAX_PER_ADDRESS,
    isShared: isTrustedProxy,
  },
  headersTimeoutMs: env.HEADERS_MAX_SECONDS * 1_000,
  bodyTimeoutMs: env.REQUEST_MAX_SECONDS * 1_000,
}

export default settings
