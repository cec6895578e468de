import type { HttpContext } from '@adonisjs/core/http'

import { SESSION_SECONDS } from './console_session.js'
import { clearSealed, readSealed, writeSealed, type SealedCookie } from './sealed_cookie.js'

/**
 * The maximum length, so that it fits into one cookie. Without the hint, the provider asks the user to confirm the
 * sign-out.
 */
const MAX_CHARACTERS = 2_500

const COOKIE: SealedCookie = {
  name: 'hub_console_user',
  purpose: 'console user',
  lifetimeSeconds: SESSION_SECONDS,
}

/**
 * The ID token of a sign-in, which identifies the user at the sign-out. It has a cookie of its own, since that of the
 * session is written at each renewal.
 */
export function writeUserHint(ctx: HttpContext, idToken: string | undefined): void {
  if (idToken === undefined || idToken.length > MAX_CHARACTERS) {
    clearSealed(ctx, COOKIE)
  } else {
    writeSealed(ctx, COOKIE, idToken)
  }
}

/** Returns and removes the ID token. */
export function takeUserHint(ctx: HttpContext): string | undefined {
  const idToken = readSealed(ctx, COOKIE)
  clearSealed(ctx, COOKIE)
  return typeof idToken === 'string' ? idToken : undefined
}
