import { Counter } from 'prom-client'

import { metrics } from '#observability/metrics'

/** The maximum number of connections of a port; 0 disables a limit. */
export interface ConnectionLimits {
  readonly all: number
  readonly perAddress: number
  /** Whether many clients share an address, as behind a proxy. */
  isShared(address: string): boolean
}

const refused = new Counter({
  name: 'http_connections_refused_total',
  help: 'Connections that were closed since there were too many, in all or from their address',
  labelNames: ['limit'] as const,
  registers: [metrics],
})

/** Whether one more connection exceeds a limit, given the present ones. */
export function exceedsLimit(
  { all, perAddress, isShared }: ConnectionLimits,
  address: string,
  present: { all: number; fromAddress: number }
): boolean {
  if (all > 0 && present.all >= all) {
    refused.inc({ limit: 'all' })
    return true
  }
  if (perAddress > 0 && present.fromAddress >= perAddress && !isShared(address)) {
    refused.inc({ limit: 'address' })
    return true
  }
  return false
}

/** Counts connections by remote address. */
export class ConnectionCount {
  readonly #byAddress = new Map<string, number>()
  #all = 0

  get all(): number {
    return this.#all
  }

  from(address: string): number {
    return this.#byAddress.get(address) ?? 0
  }

  add(address: string): void {
    this.#all++
    this.#byAddress.set(address, this.from(address) + 1)
  }

  remove(address: string): void {
    const remaining = this.from(address) - 1
    if (remaining >= 0) {
      this.#all--
    }
    if (remaining > 0) {
      this.#byAddress.set(address, remaining)
    } else {
      this.#byAddress.delete(address)
    }
  }
}
