/** How long a message is retained, and the answer to an idempotency key. */
export const MESSAGE_LIFETIME_MS = 24 * 60 * 60_000

/** As SQL: the clock of the database is the one that all processes share. */
export const MESSAGE_LIFETIME = `interval '24 hours'`
