/** Removes expired records in batches until none is left or the signal aborts. */
export interface Sweep {
  readonly name: string
  readonly schedule: Schedule
  /** Returns the number of removed records. */
  run(signal: AbortSignal): Promise<number>
}

/** A sweep that may take long: it yields to the other sweeps after a while and continues after them. */
export interface LongSweep extends Omit<Sweep, 'run'> {
  runTurn(signal: AbortSignal): Promise<SweepResult>
}

export interface SweepResult {
  readonly removed: number
  readonly isDone: boolean
}

export type Schedule =
  { readonly everyMs: number } | { readonly dailyAt: { readonly hour: number } }

/** Milliseconds from `now` until the next run. Daily times are local time. */
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
