import { setTimeout as delay } from 'node:timers/promises'

/** How much of the time that was not used may be made up for at once. */
const BURST_MS = 1_000

/** Gives requests their turn: so many a second. */
export class RequestPace {
  readonly #intervalMs: number
  #next = 0

  constructor(perSecond: number) {
    this.#intervalMs = 1_000 / perSecond
  }

  async turn(): Promise<void> {
    const now = performance.now()
    const turn = Math.max(this.#next, now - BURST_MS)
    this.#next = turn + this.#intervalMs
    if (turn > now) {
      await delay(turn - now)
    }
  }
}
