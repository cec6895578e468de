import type { Actor } from '#kernel/actor'
import { clock } from '#kernel/clock'

import { RecentCache } from './recent_cache.js'
import { AccessChanges } from './access_changes.js'

/** Who a token belongs to, and until when that can be relied upon (milliseconds since 1970). */
export interface Verdict {
  readonly actor: Actor | undefined
  readonly until: number
  /** Whose changes make it void: those of the bearer, and of the session and the client the token came from. */
  readonly about: readonly string[]
  /** The change of those that was the last when the provider was asked. */
  asOf: number
  /** Whether the token belongs to a session that the provider ends by itself. */
  readonly hasSession?: boolean
}

/**
 * Verdicts that can still be relied upon. Refused tokens have room of their own: made-up ones do not crowd out the good.
 */
export class Verdicts {
  readonly changes = new AccessChanges()
  readonly #accepted: RecentCache<string, Verdict>
  readonly #refused: RecentCache<string, Verdict>

  constructor(capacity: number) {
    this.#accepted = new RecentCache(capacity)
    this.#refused = new RecentCache(capacity)
  }

  get(key: string): Verdict | undefined {
    return this.#current(this.#accepted.get(key)) ?? this.#current(this.#refused.get(key))
  }

  /** A token that was accepted before is refused in its old place, so that the older verdict does not outlive this one. */
  set(key: string, verdict: Verdict): void {
    const wasAccepted = this.#accepted.get(key) !== undefined
    const room = verdict.actor || wasAccepted ? this.#accepted : this.#refused
    room.set(key, verdict)
  }

  /** Whether nothing has changed since that a verdict depends on. Whom a refused token belongs to is not known. */
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
