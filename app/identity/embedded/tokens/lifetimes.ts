const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** Seconds. */
export const ACCESS_TOKEN_SECONDS = 15 * MINUTE
export const REFRESH_TOKEN_SECONDS = 3 * DAY
export const ID_TOKEN_SECONDS = 15 * MINUTE

/** Milliseconds. */
export const SIGNING_KEY_MS = 90 * DAY * 1000
/** How long a key that signs no more is still published: until the last token it signed has ended, and a day. */
export const RETIRED_KEY_MS = (REFRESH_TOKEN_SECONDS + DAY) * 1000
export const CODE_MS = MINUTE * 1000
export const LOGIN_SESSION_MS = 8 * 60 * MINUTE * 1000
