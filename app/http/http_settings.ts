import app from '@adonisjs/core/services/app'

import type { ConnectionLimits } from './connection_limit.js'

/** The limits of requests and connections: `config/http.ts`. */
export interface HttpSettings {
  /** Whether an address belongs to a proxy that this installation trusts. */
  isTrustedProxy(address: string): boolean
  readonly connectionLimits: ConnectionLimits
  readonly headersTimeoutMs: number
  readonly bodyTimeoutMs: number
}

export const httpSettings = (): HttpSettings => app.config.get('http')
