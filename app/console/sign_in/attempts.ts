import { hash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'

import { clock } from '#kernel/clock'
import {
  clearSealed,
  readSealed,
  writeSealed,
  type SealedCookie,
} from '#console/session/sealed_cookie'

/** A sign-in that was sent to the provider and has not returned. */
export interface SignInAttempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The page of the console to return to. */
  readonly returnTo: string
}

/** The maximum number of concurrent attempts; further ones replace the oldest, so that the cookie stays small. */
const MAX_ATTEMPTS = 4
export const ATTEMPT_SECONDS = 15 * 60

const COOKIE: SealedCookie = {
  name: 'hub_console_sign_in',
  purpose: 'console sign-in',
  lifetimeSeconds: ATTEMPT_SECONDS,
}

const randomText = (): string => clock.random(32).toString('base64url')

/** Starts an attempt, which only this browser can finish. */
export function startAttempt(ctx: HttpContext, returnTo: string): SignInAttempt {
  const attempt = { state: randomText(), nonce: randomText(), verifier: randomText(), returnTo }
  writeSealed(ctx, COOKIE, [...attemptsOf(ctx), attempt].slice(-MAX_ATTEMPTS))
  return attempt
}

/** Removes the attempt with a state from the cookie. A copy of the cookie still contains it: see `UsedAttempts`. */
export function takeAttempt(ctx: HttpContext, state: unknown): SignInAttempt | undefined {
  const attempts = attemptsOf(ctx)
  const attempt = attempts.find((one) => one.state === state)
  const others = attempts.filter((one) => one !== attempt)
  if (others.length > 0) {
    writeSealed(ctx, COOKIE, others)
  } else {
    clearSealed(ctx, COOKIE)
  }
  return attempt
}

/** The challenge that the provider compares with the verifier of the exchange. */
export const challengeOf = ({ verifier }: SignInAttempt): string =>
  hash('sha256', verifier, 'base64url')

const attemptsOf = (ctx: HttpContext): readonly SignInAttempt[] =>
  (readSealed(ctx, COOKIE) ?? []) as readonly SignInAttempt[]
