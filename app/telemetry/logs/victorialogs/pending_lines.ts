import { timeOfKey } from '#telemetry/logs/line_key'
import type { LogLine } from '#telemetry/logs/log_line'

interface Write {
  /** When the first of its lines came in. */
  readonly since: number
  /** When the server shows the lines, in the time of `performance`. */
  shownAt: number
}

/** The lines that this process hands in, until the server shows them: whoever follows lines is not led past them. */
export class PendingLines {
  readonly #visibleMs: number
  readonly #writes: Write[] = []

  constructor(visibleMs: number) {
    this.#visibleMs = visibleMs
  }

  /** Has the lines pending while they are written, and until they are shown. */
  async during<T>(lines: readonly LogLine[], write: () => Promise<T>): Promise<T> {
    const since = firstOf(lines.map(({ key }) => timeOfKey(key)))
    const pending: Write = { since, shownAt: Infinity }
    this.#forgetShown()
    this.#writes.push(pending)
    try {
      const written = await write()
      pending.shownAt = performance.now() + this.#visibleMs
      return written
    } catch (error) {
      pending.shownAt = 0
      throw error
    }
  }

  /** When the first of the pending lines came in; infinite where there is none. */
  get since(): number {
    const now = performance.now()
    return firstOf(this.#writes.filter(({ shownAt }) => shownAt > now).map(({ since }) => since))
  }

  /** In the order in which they began, so that this is done once for each. */
  #forgetShown(): void {
    const now = performance.now()
    const pending = this.#writes.findIndex(({ shownAt }) => shownAt > now)
    this.#writes.splice(0, pending === -1 ? this.#writes.length : pending)
  }
}

const firstOf = (times: readonly number[]) =>
  times.reduce((first, time) => Math.min(first, time), Infinity)
