import { setTimeout as delay } from 'node:timers/promises'

/** The unused time that can be used later as a burst. */
const BURST_MS = 1_000

/** Limits requests per second: each waits for its turn. */
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
