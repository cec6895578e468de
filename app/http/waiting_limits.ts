import { Counter } from 'prom-client'

import type { Actor } from '#kernel/actor'
import { clock } from '#kernel/clock'
import type { EndListener } from '#kernel/end_signal'
import { Failure } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { isMasterMember } from '#kernel/realm'
import { metrics } from '#observability/metrics'
import { httpSettings } from './http_settings.js'

const RETRY_AFTER_SECONDS = 5

type LimitScope = 'identity' | 'realm' | 'address'

const refused = new Counter({
  name: 'http_waiting_refused_total',
  help: 'Streams and long polls that were refused since there were too many',
  labelNames: ['limit'] as const,
  registers: [metrics],
})

/** The caller, its realm or its address has reached its limit of streams and long polls. */
class TooManyWaitingRequests extends Failure {
  constructor(of: LimitScope, max: number, variable: string) {
    super(
      429,
      'rate_limited',
      `There are ${max} streams and long polls of this ${of}, which is the limit; end one, or try again later`,
      {
        issues: [
          issue('waiting_limit', [], `The limit for one ${of} is reached`, {
            data: { max: max },
            meta: { of, variable },
          }),
        ],
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
      }
    )
  }
}

/** Counts the waiting requests of a process, so that no caller occupies all connections. */
export class WaitingRequests {
  readonly #limits = httpSettings().waitingLimits
  readonly #counts = new Map<string, number>()
  /** When the newest request of an identity started. */
  readonly #newest = new Map<string, number>()

  /** Counts a request until the returned listener is called. Throws if a limit is reached. */
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
    this.#newest.set(keys[0], clock.now())
    return new WaitingRequest(this, keys)
  }

  end(keys: readonly string[]): void {
    for (const key of keys) {
      const remaining = this.#of(key) - 1
      if (remaining > 0) {
        this.#counts.set(key, remaining)
      } else {
        this.#counts.delete(key)
        this.#newest.delete(key)
      }
    }
  }

  /** The ids of the callers of a kind with waiting requests, of which one started after a time. */
  callers(kind: Actor['kind'], since: number): string[] {
    const prefix = `${kind}:`
    return [...this.#newest]
      .filter(([key, startedAt]) => key.startsWith(prefix) && startedAt > since)
      .map(([key]) => key.slice(prefix.length))
  }

  /** The number of identities, realms and addresses with waiting requests. */
  get size(): number {
    return this.#counts.size
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #requireRoom(key: string, max: number, of: LimitScope, variable: string): void {
    if (max > 0 && this.#of(key) >= max) {
      refused.inc({ limit: of })
      throw new TooManyWaitingRequests(of, max, variable)
    }
  }
}

/** An object instead of a closure, since there are thousands. */
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
