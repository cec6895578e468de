import { timeOfKey } from '#telemetry/logs/line_key'
import type { LogLine } from '#telemetry/logs/log_line'

interface PendingWrite {
  /** When the first of its lines came in. */
  readonly since: number
  /** When the server shows the lines, in the time of `performance`. */
  visibleAt: number
}

/** The lines that this process hands in, until the server shows them: whoever follows lines is not led past them. */
export class PendingLines {
  readonly #visibleMs: number
  readonly #writes: PendingWrite[] = []

  constructor(visibleMs: number) {
    this.#visibleMs = visibleMs
  }

  /** Has the lines pending while they are written, and until they are shown. */
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

  /** When the first of the pending lines came in; infinite where there is none. */
  get since(): number {
    const now = performance.now()
    return earliest(
      this.#writes.filter(({ visibleAt: shownAt }) => shownAt > now).map(({ since }) => since)
    )
  }

  /** In the order in which they began, so that this is done once for each. */
  #removeVisible(): void {
    const now = performance.now()
    const pending = this.#writes.findIndex(({ visibleAt: shownAt }) => shownAt > now)
    this.#writes.splice(0, pending === -1 ? this.#writes.length : pending)
  }
}

const earliest = (times: readonly number[]) =>
  times.reduce((first, time) => Math.min(first, time), Infinity)
