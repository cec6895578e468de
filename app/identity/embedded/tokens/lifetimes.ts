import { identitySettings } from '#identity/identity_settings'

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** Seconds. */
export const ID_TOKEN_SECONDS = 15 * MINUTE

/** How long a replaced refresh token is still accepted: browser tabs that share one may renew at the same time. */
export const REPLACED_TOKEN_SECONDS = 30

/** Milliseconds. */
export const SIGNING_KEY_MS = 90 * DAY * 1000
/** How long a retired key is still published: until the last token signed with it has expired, and a day. */
export const retiredKeyMs = (): number => (identitySettings().refreshTokenSeconds + DAY) * 1000
export const CODE_MS = MINUTE * 1000
export const LOGIN_SESSION_MS = 8 * 60 * MINUTE * 1000
