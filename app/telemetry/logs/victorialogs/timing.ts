/** What is known of when the server does something, in milliseconds. */
export interface Timing {
  /** Lines that come in within this time go in one request. */
  readonly gatherMs: number
  /** Lines that were taken are shown by then. */
  readonly visibleMs: number
  /** Lines that were taken are on the disk by then, and survive the end of the server. */
  readonly durableMs: number
  /** How often it is asked for lines that somebody follows, and whether a deletion is done. */
  readonly pollMs: number
}

/** As it was measured: shown after 1.0 to 1.5 s, on the disk after 7 to 12 s. */
export const SERVER_TIMING: Timing = {
  gatherMs: 5,
  visibleMs: 3_000,
  durableMs: 15_000,
  pollMs: 1_000,
}
