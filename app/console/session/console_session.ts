import type { HttpContext } from '@adonisjs/core/http'

import { clock } from '#kernel/clock'
import { clearSealed, readSealed, writeSealed, type SealedCookie } from './sealed_cookie.js'

/** The tokens of a signed-in user. They never leave the server except in its sealed cookie. */
export interface ConsoleSession {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** When the access token expires, in milliseconds. */
  readonly expiresAt: number
  /** The secret from which form tokens are derived. */
  readonly formSecret: string
}

/** A session ends after this time without use, even if the provider would renew it. */
export const SESSION_SECONDS = 12 * 60 * 60

const COOKIE: SealedCookie = {
  name: 'hub_console',
  purpose: 'console session',
  lifetimeSeconds: SESSION_SECONDS,
}

export const readSession = (ctx: HttpContext): ConsoleSession | undefined =>
  readSealed(ctx, COOKIE) as ConsoleSession | undefined

export const writeSession = (ctx: HttpContext, session: ConsoleSession): void =>
  writeSealed(ctx, COOKIE, session)

export const clearSession = (ctx: HttpContext): void => clearSealed(ctx, COOKIE)

/** A secret for a new session, so that forms of an earlier one are refused. */
export const newFormSecret = (): string => clock.random(24).toString('base64url')
