/**
 * Removes what has had its time, in bounded batches, until nothing is left or the signal asks it to stop.
 */
export interface Sweep {
  readonly name: string
  readonly schedule: Schedule
  /** Answers how many records were removed. */
  run(signal: AbortSignal): Promise<number>
}

/** A sweep that may have more to do than others can wait for: it ends its turn after a while, and has another after theirs. */
export interface LongSweep extends Omit<Sweep, 'run'> {
  runTurn(signal: AbortSignal): Promise<SweepResult>
}

export interface SweepResult {
  readonly removed: number
  readonly isDone: boolean
}

export type Schedule =
  { readonly everyMs: number } | { readonly dailyAt: { readonly hour: number } }

/**
 * Milliseconds from `now` until a schedule is due next. Daily times are the machine's local time.
 */
export function msUntilNext(schedule: Schedule, now: number): number {
  if ('everyMs' in schedule) {
    return schedule.everyMs
  }
  const next = new Date(now)
  next.setHours(schedule.dailyAt.hour, 0, 0, 0)
  if (next.getTime() <= now) {
    next.setDate(next.getDate() + 1)
  }
  return next.getTime() - now
}
