/** How long a message waits, and how long it is known what was answered to a key. */
export const MESSAGE_LIFETIME_MS = 24 * 60 * 60_000

/** The same for the database, whose clock is the one that all processes share. */
export const MESSAGE_LIFETIME = `interval '24 hours'`
