const PERIOD_MS = 1_000
const MOST = 10

/** Reports the first refusals of a second one by one, and the number of the others. */
export class RefusalReports {
  readonly #report: (sentence: string) => void
  #count = 0

  constructor(report: (sentence: string) => void) {
    this.#report = report
  }

  add(sentence: string): void {
    if (this.#count === 0) {
      setTimeout(() => this.#endPeriod(), PERIOD_MS).unref()
    }
    this.#count += 1
    if (this.#count <= MOST) {
      this.#report(sentence)
    }
  }

  #endPeriod(): void {
    if (this.#count > MOST) {
      this.#report(`${this.#count - MOST} further requests were refused within a second`)
    }
    this.#count = 0
  }
}
