import { Counter } from 'prom-client'

import type { Actor } from '#kernel/actor'
import type { EndListener } from '#kernel/end_signal'
import { Failure } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { isMasterMember } from '#kernel/realm'
import { metrics } from '#observability/metrics'

const RETRY_AFTER_SECONDS = 5

/** How many requests may wait in a process, as streams and long polls do; 0 is no limit. */
export interface WaitingLimits {
  readonly perIdentity: number
  /** Of a realm that is not master. */
  readonly perRealm: number
  /** Of an address, which is that of the client where a proxy names it. */
  readonly perAddress: number
}

type LimitScope = 'identity' | 'realm' | 'address'

const refused = new Counter({
  name: 'http_waiting_refused_total',
  help: 'Streams and long polls that were refused since there were too many',
  labelNames: ['limit'] as const,
  registers: [metrics],
})

/** The caller, its realm, or its address has as many streams and long polls as it may have. */
class TooManyWaitingRequests extends Failure {
  constructor(of: LimitScope, most: number, variable: string) {
    super(
      429,
      'rate_limited',
      `There are ${most} streams and long polls of this ${of}, which is the limit; end one, or try again later`,
      {
        issues: [
          issue('waiting_limit', [], `The limit for one ${of} is reached`, {
            data: { max: most },
            meta: { of, variable },
          }),
        ],
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
      }
    )
  }
}

/** Counts the requests of a process that wait, so that nobody takes all the connections. */
export class WaitingRequests {
  readonly #limits: WaitingLimits
  readonly #counts = new Map<string, number>()

  constructor(limits: WaitingLimits) {
    this.#limits = limits
  }

  /** Counts one more until what is answered is over. Throws where that would be too many. */
  add(actor: Actor, address: string): EndListener {
    const { perIdentity, perRealm, perAddress } = this.#limits
    const realm = isMasterMember(actor) ? undefined : actor.realmId
    const keys = [
      `${actor.kind}:${actor.id}`,
      `realm:${realm ?? ''}`,
      `address:${address}`,
    ] as const
    const realmLimit = realm === undefined || realm === null ? 0 : perRealm
    this.#requireRoom(keys[0], perIdentity, 'identity', 'STREAMS_MAX_PER_IDENTITY')
    this.#requireRoom(keys[1], realmLimit, 'realm', 'STREAMS_MAX_PER_REALM')
    this.#requireRoom(keys[2], perAddress, 'address', 'CONNECTIONS_MAX_PER_ADDRESS')
    keys.forEach((key) => this.#counts.set(key, this.#of(key) + 1))
    return new WaitingRequest(this, keys)
  }

  end(keys: readonly string[]): void {
    for (const key of keys) {
      const remaining = this.#of(key) - 1
      if (remaining > 0) {
        this.#counts.set(key, remaining)
      } else {
        this.#counts.delete(key)
      }
    }
  }

  /** Of how many identities, realms and addresses requests wait. */
  get size(): number {
    return this.#counts.size
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #requireRoom(key: string, most: number, of: LimitScope, variable: string): void {
    if (most > 0 && this.#of(key) >= most) {
      refused.inc({ limit: of })
      throw new TooManyWaitingRequests(of, most, variable)
    }
  }
}

/** There are thousands: each is an object, where a function would take more. */
class WaitingRequest implements EndListener {
  readonly #requests: WaitingRequests
  readonly #keys: readonly string[]

  constructor(requests: WaitingRequests, keys: readonly string[]) {
    this.#requests = requests
    this.#keys = keys
  }

  onEnd(): void {
    this.#requests.end(this.#keys)
  }
}
