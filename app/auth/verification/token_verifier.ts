import { hash } from 'node:crypto'

import type { Actor } from '#kernel/actor'
import { Alarms } from '#kernel/alarms'
import type { EndSignal } from '#kernel/end_signal'
import type { Authenticator, SessionWatch } from '#auth/authenticator'
import { Failure, IdentityUnavailable } from '#kernel/failures'
import type { IdentityProvider, Introspection, AccessState } from '#auth/provider'
import { clock } from '#kernel/clock'

import { guardSession } from './session_guard.js'
import { actorOf, describesToken } from './introspected_actor.js'
import type { VerdictListener, VerdictSource } from './verdict_source.js'
import type { IntrospectionCache, TimedIntrospection } from './shared_introspections.js'
import { isJwt, SignedTokens } from './signed_tokens.js'
import { SingleFlight } from '#kernel/single_flight'
import { guardToken } from './token_guard.js'
import { Verdicts, type Verdict } from './verdicts.js'

const MAX_TOKEN_LENGTH = 16 * 1024
/** How often a request is repeated because access changed during it. */
const MAX_ATTEMPTS = 3
const REJECTED: Verdict = { actor: undefined, until: 0, about: [], asOf: 0 }
/** How long the result of a working check is cached. */
const SUCCESS_TTL_MS = 30_000
const FAILURE_TTL_MS = 1_000
/** The share of a verdict's lifetime within which a result of another process replaces a request. */
const MAX_SHARED_AGE = 0.25

export interface VerifierOptions {
  /** Whether the provider also issues opaque tokens. */
  opaqueTokens?: boolean
  /** How long a verdict on an accepted token is cached. */
  trustMs?: number
  /** How long a verdict on a rejected token is cached. */
  distrustMs?: number
  /** The cache that processes share; without it each queries the provider itself. */
  shared?: IntrospectionCache
  /** The minimum number of cached verdicts of either kind, at most twice as many. */
  capacity?: number
}

/**
 * Verifies tokens. Forged ones are rejected locally; only the provider knows whether the others are active. Results are
 * cached for a short time.
 */
export class TokenVerifier implements Authenticator, VerdictSource {
  readonly alarms = new Alarms()
  readonly #provider: IdentityProvider
  readonly #signed: SignedTokens
  readonly #verdicts: Verdicts
  readonly #verifications = new SingleFlight<string, Verdict>()
  readonly #listeners = new Set<VerdictListener>()
  readonly #options: Required<Omit<VerifierOptions, 'shared'>> & VerifierOptions
  readonly #checks = new SingleFlight<'check', void>()
  #workedUntil = 0
  #failed: { until: number; failure: unknown } | undefined

  constructor(provider: IdentityProvider, options: VerifierOptions = {}) {
    this.#options = {
      opaqueTokens: false,
      trustMs: 60_000,
      distrustMs: 5_000,
      capacity: 10_000,
      ...options,
    }
    this.#provider = provider
    this.#signed = new SignedTokens(provider)
    this.#verdicts = new Verdicts(this.#options.capacity)
  }

  /** The account of a token, synchronously if cached. Throws if the provider is needed and unavailable. */
  verify(token: string): Promise<Actor | undefined> | Actor | undefined {
    const verdict = this.verdictFor(token)
    return verdict instanceof Promise ? verdict.then(({ actor }) => actor) : verdict.actor
  }

  /** Ends a connection when the token expires or is revoked. */
  guardConnection(token: string, connection: EndSignal): void {
    guardToken(this, token, connection)
  }

  /** Watches the session of a token. */
  watchSession(token: string, closed: AbortSignal): SessionWatch {
    return guardSession(this, token, closed)
  }

  /** Invalidates the verdicts of an account, a session, a token, or all, and notifies the listeners. */
  invalidate(id: string): void {
    this.#verdicts.changes.add(id)
    this.#listeners.forEach((listener) => listener.invalidate(id))
  }

  addListener(listener: VerdictListener): void {
    this.#listeners.add(listener)
  }

  removeListener(listener: VerdictListener): void {
    this.#listeners.delete(listener)
  }

  /** Like `verify`, with the time until which the result can be relied on. */
  verdictFor(token: string): Promise<Verdict> | Verdict {
    if (token.length > MAX_TOKEN_LENGTH) {
      return REJECTED
    }
    const key = digestOf(token)
    return this.#verdicts.get(key) ?? this.#verify(key, token, this.#options.trustMs)
  }

  /** Like `verdictFor`, without the cache. */
  async renew(token: string): Promise<Verdict> {
    const maxAgeMs = this.#options.trustMs * MAX_SHARED_AGE
    return token.length > MAX_TOKEN_LENGTH
      ? REJECTED
      : this.#verify(digestOf(token), token, maxAgeMs)
  }

  /** Throws if tokens cannot be verified now. A recent success is enough. */
  async requireWorking(): Promise<void> {
    const now = clock.now()
    if (now < this.#workedUntil) {
      return
    }
    if (this.#failed && now < this.#failed.until) {
      throw this.#failed.failure
    }
    await this.#checks.run('check', () => this.#check())
  }

  async #check(): Promise<void> {
    try {
      await this.#signed.requireKeys()
      await this.#provider.requireWorking()
      this.#markWorking()
    } catch (failure) {
      this.#failed = { until: clock.now() + FAILURE_TTL_MS, failure }
      throw failure
    }
  }

  /** Like `renew`, for an expired token: the access of its account while the session lasts. */
  async renewExpired(token: string, { actor, about, hasSession }: Verdict): Promise<Verdict> {
    const provider = this.#provider
    return this.#verifications.run(`ended ${digestOf(token)}`, async () => {
      const [requestedAt, asOf] = [clock.now(), this.#verdicts.changes.count]
      const state = await provider.introspectExpired?.(token).catch(unavailable)
      const until = requestedAt + this.#options.trustMs
      return state && actor
        ? {
            actor: withAccess(actor, state),
            until,
            about,
            asOf,
            hasSession: state.hasSession ?? hasSession,
          }
        : REJECTED
    })
  }

  /** Lets the provider prepare `renewExpired`. */
  observeToken(token: string, { permissions }: Actor): void {
    this.#provider.observeToken?.(token, permissions).catch(() => {})
  }

  /** How long a verdict on an accepted token is cached. */
  get trustMs(): number {
    return this.#options.trustMs
  }

  #verify(key: string, token: string, maxAgeMs: number): Promise<Verdict> {
    return this.#verifications.run(key, async () => {
      let verdict = await this.#newVerdict(key, token, maxAgeMs).catch(unavailable)
      for (let n = 1; n < MAX_ATTEMPTS && !this.#verdicts.isCurrent(verdict); n++) {
        verdict = await this.#newVerdict(key, token, maxAgeMs).catch(unavailable)
      }
      this.#verdicts.set(key, verdict)
      return verdict
    })
  }

  async #newVerdict(key: string, token: string, maxAgeMs: number): Promise<Verdict> {
    const asOf = this.#verdicts.changes.count
    const isSigned = isJwt(token)
    const claims = isSigned ? await this.#signed.claimsOf(token) : undefined
    if (isSigned ? !claims : !this.#options.opaqueTokens) {
      return { ...this.#verdictOf(undefined, clock.now()), about: [], asOf }
    }
    const introspect = () => this.#introspect(token)
    const { introspection, askedAt: requestedAt } = await (this.#shared(
      key,
      maxAgeMs,
      introspect
    ) ?? introspect())
    const isAccepted = introspection && (!claims || describesToken(introspection, claims))
    const accepted = isAccepted ? introspection : undefined
    const actor = accepted && actorOf(accepted, claims)
    return { ...this.#verdictOf(actor, requestedAt), ...subjectsOf(accepted), asOf }
  }

  /** Results of other processes from before the last change are ignored. */
  #shared(
    key: string,
    maxAgeMs: number,
    introspect: () => Promise<TimedIntrospection>
  ): Promise<TimedIntrospection> | undefined {
    const unchangedForMs = clock.now() - this.#verdicts.changes.lastAt
    return this.#options.shared?.get(key, Math.min(maxAgeMs, unchangedForMs), introspect)
  }

  async #introspect(token: string): Promise<TimedIntrospection> {
    const requestedAt = clock.now()
    const introspection = await this.#provider.introspect(token)
    this.#markWorking()
    return { introspection, askedAt: requestedAt }
  }

  #markWorking(): void {
    this.#workedUntil = clock.now() + SUCCESS_TTL_MS
  }

  #verdictOf(actor: Actor | undefined, requestedAt: number): Pick<Verdict, 'actor' | 'until'> {
    const now = clock.now()
    const endsAt = actor ? actor.expiresAt * 1_000 : 0
    return endsAt > now
      ? { actor, until: Math.min(endsAt, requestedAt + this.#options.trustMs) }
      : { actor: undefined, until: now + this.#options.distrustMs }
  }
}

/** The ids whose changes invalidate a verdict. */
function subjectsOf(
  introspection: Introspection | undefined
): Pick<Verdict, 'about' | 'hasSession'> {
  if (!introspection) {
    return { about: [] }
  }
  const { sub, client_id: client, sid, jti } = introspection
  const about = [sub, client, sid, jti].filter((id) => typeof id === 'string')
  return { about, hasSession: sid !== undefined }
}

function withAccess(actor: Actor, { permissions }: AccessState): Actor {
  return permissions === 'as before'
    ? actor
    : { ...actor, permissions: new Set(permissions.map(({ name }) => name)) }
}

/** Any failure of the provider means that callers have to retry later. */
function unavailable(error: unknown): never {
  throw error instanceof Failure ? error : new IdentityUnavailable(undefined, { cause: error })
}

/** Only digests of tokens are stored. */
function digestOf(token: string): string {
  return hash('sha256', token)
}
