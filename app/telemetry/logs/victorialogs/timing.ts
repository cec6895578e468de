/** Measured delays of the server, in milliseconds. */
export interface Timing {
  /** Lines within this time share a request. */
  readonly gatherMs: number
  /** When accepted lines are visible. */
  readonly visibleMs: number
  /** When accepted lines are on the disk and survive a crash of the server. */
  readonly durableMs: number
  /** How often tails and deletions poll. */
  readonly pollMs: number
}

/** Measured: visible after 1.0 to 1.5 s, on the disk after 7 to 12 s. */
export const SERVER_TIMING: Timing = {
  gatherMs: 5,
  visibleMs: 3_000,
  durableMs: 15_000,
  pollMs: 1_000,
}
