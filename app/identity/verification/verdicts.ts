import type { Actor } from '#http/actor'
import { clock } from '#runtime/clock'

import { Recent } from './recent.js'

/** Who a token belongs to, and until when that can be relied upon (milliseconds since 1970). */
export interface Verdict {
  readonly actor: Actor | undefined
  readonly until: number
}

/**
 * Verdicts that can still be relied upon. Refused tokens have room of their own: made-up ones do not crowd out the good.
 */
export class Verdicts {
  readonly #accepted: Recent<string, Verdict>
  readonly #refused: Recent<string, Verdict>

  constructor(capacity: number) {
    this.#accepted = new Recent(capacity)
    this.#refused = new Recent(capacity)
  }

  get(key: string): Verdict | undefined {
    return current(this.#accepted.get(key)) ?? current(this.#refused.get(key))
  }

  /** A token that was accepted before is refused in its old place, so that the older verdict does not outlive this one. */
  keep(key: string, verdict: Verdict): void {
    const wasAccepted = this.#accepted.get(key) !== undefined
    const room = verdict.actor || wasAccepted ? this.#accepted : this.#refused
    room.set(key, verdict)
  }
}

function current(verdict: Verdict | undefined): Verdict | undefined {
  return verdict && verdict.until > clock.now() ? verdict : undefined
}
