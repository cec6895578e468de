import { timeOfKey } from '#telemetry/logs/line_key'
import type { LogLine } from '#telemetry/logs/log_line'

interface PendingWrite {
  /** When the first of its lines arrived. */
  readonly since: number
  /** When the lines are visible, in the time of `performance`. */
  visibleAt: number
}

/** Writes of this process that are not visible yet. Tails stop before them, so that they skip none. */
export class PendingLines {
  readonly #visibleMs: number
  readonly #writes: PendingWrite[] = []

  constructor(visibleMs: number) {
    this.#visibleMs = visibleMs
  }

  /** Tracks the lines while they are written and until they are visible. */
  async track<T>(lines: readonly LogLine[], write: () => Promise<T>): Promise<T> {
    const since = earliest(lines.map(({ key }) => timeOfKey(key)))
    const pending: PendingWrite = { since, visibleAt: Infinity }
    this.#removeVisible()
    this.#writes.push(pending)
    try {
      const written = await write()
      pending.visibleAt = performance.now() + this.#visibleMs
      return written
    } catch (error) {
      pending.visibleAt = 0
      throw error
    }
  }

  /** When the first pending line arrived; infinite without one. */
  get since(): number {
    const now = performance.now()
    return earliest(
      this.#writes.filter(({ visibleAt: shownAt }) => shownAt > now).map(({ since }) => since)
    )
  }

  /** Writes are in order of their start, so each is removed once. */
  #removeVisible(): void {
    const now = performance.now()
    const pending = this.#writes.findIndex(({ visibleAt: shownAt }) => shownAt > now)
    this.#writes.splice(0, pending === -1 ? this.#writes.length : pending)
  }
}

const earliest = (times: readonly number[]) =>
  times.reduce((first, time) => Math.min(first, time), Infinity)
