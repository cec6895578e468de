import { LRUCache } from 'lru-cache'

import type { Actor } from '#kernel/actor'
import { clock } from '#kernel/clock'

import { AccessChanges } from './access_changes.js'

/** The account of a token, and until when that can be relied on (milliseconds since 1970). */
export interface Verdict {
  readonly actor: Actor | undefined
  readonly until: number
  /** The ids whose changes invalidate it: those of the account, the session and the client of the token. */
  readonly about: readonly string[]
  /** The position in `AccessChanges` at which the provider was queried. */
  asOf: number
  /** Whether the token belongs to a session that the provider ends. */
  readonly hasSession?: boolean
}

/** Cached verdicts. Rejected tokens have a cache of their own, so that forged ones do not evict valid ones. */
export class Verdicts {
  readonly changes = new AccessChanges()
  readonly #accepted: LRUCache<string, Verdict>
  readonly #refused: LRUCache<string, Verdict>

  constructor(capacity: number) {
    this.#accepted = new LRUCache({ max: capacity })
    this.#refused = new LRUCache({ max: capacity })
  }

  get(key: string): Verdict | undefined {
    return this.#current(this.#accepted.get(key)) ?? this.#current(this.#refused.get(key))
  }

  /** A token that was accepted before is rejected in the same cache, so that the older verdict is replaced. */
  set(key: string, verdict: Verdict): void {
    const wasAccepted = this.#accepted.get(key) !== undefined
    const room = verdict.actor || wasAccepted ? this.#accepted : this.#refused
    room.set(key, verdict)
  }

  /** Whether no id of the verdict has changed since. A rejected token has no known ids. */
  isCurrent(verdict: Verdict): boolean {
    const { changes } = this
    if (verdict.asOf === changes.count) {
      return true
    }
    if (!verdict.actor || changes.hasSince(verdict.asOf, verdict.about)) {
      return false
    }
    verdict.asOf = changes.count
    return true
  }

  #current(verdict: Verdict | undefined): Verdict | undefined {
    return verdict && verdict.until > clock.now() && this.isCurrent(verdict) ? verdict : undefined
  }
}
