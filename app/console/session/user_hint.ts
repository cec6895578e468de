import type { HttpContext } from '@adonisjs/core/http'

import { SESSION_SECONDS } from './console_session.js'
import { clearSealed, readSealed, writeSealed, type SealedCookie } from './sealed_cookie.js'

/** Fits into one cookie. Without it, the provider asks who signs out. */
const MAX_CHARACTERS = 2_500

const COOKIE: SealedCookie = {
  name: 'hub_console_user',
  purpose: 'console user',
  lifetimeSeconds: SESSION_SECONDS,
}

/**
 * The ID token of a sign-in, by which the provider knows at the sign-out whom it is about. It has a cookie of its own,
 * since that of the session is written at each renewal.
 */
export function writeUserHint(ctx: HttpContext, idToken: string | undefined): void {
  if (idToken === undefined || idToken.length > MAX_CHARACTERS) {
    clearSealed(ctx, COOKIE)
  } else {
    writeSealed(ctx, COOKIE, idToken)
  }
}

/** The ID token, which is forgotten. */
export function takeUserHint(ctx: HttpContext): string | undefined {
  const idToken = readSealed(ctx, COOKIE)
  clearSealed(ctx, COOKIE)
  return typeof idToken === 'string' ? idToken : undefined
}
