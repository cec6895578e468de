const REPORT_EVERY_MS = 5_000

/** Reports the progress of a table every few seconds. */
export class ProgressReporter {
  readonly #report: (text: string) => void
  readonly #what: string
  readonly #total: number
  #done = 0
  readonly #startedAt = performance.now()
  #reportedAt = performance.now()

  constructor(report: (text: string) => void, what: string, total: number) {
    this.#report = report
    this.#what = what
    this.#total = total
    report(`${what}: ${total}`)
  }

  add(count: number): void {
    this.#done += count
    const now = performance.now()
    if (now - this.#reportedAt < REPORT_EVERY_MS) {
      return
    }
    this.#reportedAt = now
    const rate = Math.round((this.#done / (now - this.#startedAt)) * 1_000)
    this.#report(`${this.#what}: ${this.#done} of ${this.#total}, ${rate} a second`)
  }
}
