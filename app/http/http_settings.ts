import app from '@adonisjs/core/services/app'
import type { CorsConfig } from '@adonisjs/cors/types'

import type { ConnectionLimits } from './connection_limit.js'
import type { RateLimits } from './rate_limiter.js'

export interface OriginRules {
  /** Whether an origin may send credentials. */
  isTrusted(this: void, origin: string): boolean
  readonly withCredentials: CorsConfig
  readonly withoutCredentials: CorsConfig
}

/** The maximum of streams and long polls of a process; 0 disables a limit. */
export interface WaitingLimits {
  readonly perIdentity: number
  /** Of any realm except master. */
  readonly perRealm: number
  /** Of a client address, as reported by trusted proxies. */
  readonly perAddress: number
}

/** The limits of requests and connections: `config/http.ts`. */
export interface HttpSettings {
  /** Whether an address belongs to a proxy that this installation trusts. */
  isTrustedProxy(address: string): boolean
  readonly connectionLimits: ConnectionLimits
  readonly rateLimits: RateLimits
  readonly waitingLimits: WaitingLimits
  readonly cors: OriginRules
  readonly headersTimeoutMs: number
  readonly bodyTimeoutMs: number
}

export const httpSettings = (): HttpSettings => app.config.get('http')
