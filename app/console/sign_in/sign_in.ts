import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import { decodeJwt } from 'jose'

import { Authenticator } from '#auth/authenticator'
import { consoleSettings } from '#console/console_settings'
import { PageRunner } from '#console/page_runner'
import { writeSession } from '#console/session/console_session'
import { writeUserHint } from '#console/session/user_hint'
import { consoleUrl } from '#console/views'
import { IdentityUnavailable, RateLimited } from '#kernel/failures'
import { surfaceUrl } from '#settings/app_settings'
import { challengeOf, startAttempt, takeAttempt, type SignInAttempt } from './attempts.js'
import { ProviderEndpoints } from './provider_endpoints.js'
import { TokenRequests, TokensRefused } from './token_requests.js'
import { UsedAttempts } from './used_attempts.js'

const REALM = /\/realms\/[^/]+\/?$/

/** The reasons why a sign-in fails; each has a text. */
type SignInProblem =
  'state' | 'refused' | 'issuer' | 'tokens' | 'nonce' | 'account' | 'provider' | 'limit'

const STATUSES: Partial<Record<SignInProblem, number>> = { provider: 503, limit: 429 }

class SignInFailed extends Error {
  constructor(readonly problem: SignInProblem) {
    super(problem)
  }
}

/** Signs users in at the identity provider, with an authorization code that only this browser can use. */
@inject()
export class SignIn {
  readonly #usedAttempts: UsedAttempts
  readonly #endpoints: ProviderEndpoints
  readonly #requests: TokenRequests
  readonly #authenticator: Authenticator
  readonly #runner: PageRunner

  constructor(
    usedAttempts: UsedAttempts,
    endpoints: ProviderEndpoints,
    requests: TokenRequests,
    authenticator: Authenticator,
    runner: PageRunner
  ) {
    this.#usedAttempts = usedAttempts
    this.#endpoints = endpoints
    this.#requests = requests
    this.#authenticator = authenticator
    this.#runner = runner
  }

  /** Sends the browser to the provider. */
  async start(ctx: HttpContext): Promise<void> {
    await this.#guard(ctx, async () => {
      const { authorization } = await this.#endpoints.get()
      const attempt = startAttempt(ctx, ownPath(ctx.request.qs().to))
      const target = new URL(authorization)
      const parameters = authorizationParameters(attempt)
      for (const [name, value] of Object.entries(parameters)) {
        target.searchParams.set(name, value)
      }
      if (ctx.request.qs().again !== undefined) {
        target.searchParams.set('prompt', 'login')
      }
      redirect(ctx, target.href)
    })
  }

  /** Exchanges the code with which the provider redirected the browser. */
  async finish(ctx: HttpContext): Promise<void> {
    await this.#guard(ctx, async () => {
      const { state, code, error, iss } = ctx.request.qs()
      const attempt = takeAttempt(ctx, state)
      if (!attempt || !(await this.#usedAttempts.use(attempt))) {
        throw new SignInFailed('state')
      }
      if (error !== undefined || typeof code !== 'string') {
        throw new SignInFailed('refused')
      }
      await this.#requireIssuer(iss)
      const { verifier } = attempt
      const exchange = { code, verifier, redirectUri: callbackUrl() }
      const { session, idToken } = await this.#requests.exchange(exchange, ctx.request.ip())
      requireNonce(idToken, attempt)
      const actor = await this.#authenticator.verify(session.accessToken)
      if (actor?.kind !== 'user') {
        throw new SignInFailed('account')
      }
      writeSession(ctx, session)
      writeUserHint(ctx, idToken)
      redirect(ctx, consoleUrl(attempt.returnTo))
    })
  }

  /** Each realm of a provider has its own issuer, which differs in its last part. */
  async #requireIssuer(issuer: unknown): Promise<void> {
    const expected = await this.#endpoints.get()
    const isOther =
      typeof issuer === 'string' && issuer.replace(REALM, '') !== expected.issuer.replace(REALM, '')
    if (isOther) {
      throw new SignInFailed('issuer')
    }
  }

  async #guard(ctx: HttpContext, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const problem = problemOf(error)
      ctx.logger.info({ err: error, problem }, 'a sign-in to the console was not finished')
      const status = STATUSES[problem] ?? 400
      if (error instanceof RateLimited) {
        ctx.response.header('retry-after', error.headers['retry-after']!)
      }
      await this.#runner.showPlain(ctx, 'sign_in_failed', status, undefined, { problem })
    }
  }
}

/** The redirect URI of sign-ins. */
const callbackUrl = (): string => `${surfaceUrl('console')}/callback`

function authorizationParameters(attempt: SignInAttempt): Record<string, string> {
  const { clientId, scope } = consoleSettings()
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callbackUrl(),
    scope,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: challengeOf(attempt),
    code_challenge_method: 'S256',
  }
}

const ANY_ORIGIN = 'http://console'

/** Accepts only a path of the console as browsers parse it, to prevent open redirects. */
function ownPath(to: unknown): string {
  const target = typeof to === 'string' ? URL.parse(to, ANY_ORIGIN) : null
  const isOwn = target?.origin === ANY_ORIGIN && !target.pathname.startsWith('//')
  return isOwn ? target.pathname + target.search : '/'
}

function requireNonce(idToken: string | undefined, { nonce }: SignInAttempt): void {
  if (idToken !== undefined && decodeJwt(idToken).nonce !== nonce) {
    throw new SignInFailed('nonce')
  }
}

function problemOf(error: unknown): SignInProblem {
  if (error instanceof SignInFailed) {
    return error.problem
  }
  if (error instanceof TokensRefused) {
    return 'tokens'
  }
  if (error instanceof IdentityUnavailable) {
    return 'provider'
  }
  if (error instanceof RateLimited) {
    return 'limit'
  }
  throw error
}

function redirect({ response }: HttpContext, address: string): void {
  response.status(303)
  response.header('cache-control', 'no-store')
  response.header('location', address)
  response.send(null)
}
