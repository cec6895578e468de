/** How long a message waits, and how long it is known what was answered to a key. */
export const KEPT_MS = 24 * 60 * 60_000

/** The same for the database, whose clock is the one that all processes share. */
export const KEPT = `interval '24 hours'`
