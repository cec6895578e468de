import { clock } from '#kernel/clock'

const TOLD_EVERY_MS = 500

export interface Progress {
  readonly current: number
  readonly total: number
  readonly percent: number
}

/** Tells of progress only what is news, and not more often than is good for those who listen: nothing of what is over at once. */
export class ProgressReport {
  readonly #tell: (progress: Progress) => void
  #toldAt = clock.now()
  #percent = -1

  constructor(tell: (progress: Progress) => void) {
    this.#tell = tell
  }

  at(current: number, total: number): void {
    const percent = total > 0 ? Math.min(100, Math.floor((100 * current) / total)) : 0
    const now = clock.now()
    if (percent > this.#percent && now - this.#toldAt >= TOLD_EVERY_MS) {
      this.#percent = percent
      this.#toldAt = now
      this.#tell({ current: Math.floor(current), total: Math.floor(total), percent })
    }
  }
}
