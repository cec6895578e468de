import { clock } from '#kernel/clock'

const REPORT_EVERY_MS = 500

export interface Progress {
  readonly current: number
  readonly total: number
  readonly percent: number
}

/** Throttles progress events. Skips repeated values, and jobs that finish quickly. */
export class ProgressReporter {
  readonly #report: (progress: Progress) => void
  #reportedAt = clock.now()
  #percent = -1

  constructor(report: (progress: Progress) => void) {
    this.#report = report
  }

  update(current: number, total: number): void {
    const percent = total > 0 ? Math.min(100, Math.floor((100 * current) / total)) : 0
    const now = clock.now()
    if (percent > this.#percent && now - this.#reportedAt >= REPORT_EVERY_MS) {
      this.#percent = percent
      this.#reportedAt = now
      this.#report({ current: Math.floor(current), total: Math.floor(total), percent })
    }
  }
}
