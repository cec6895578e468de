import { hash } from 'node:crypto'

import type { Actor } from '#kernel/actor'
import type { EndSignal } from '#kernel/end_signal'
import type { Authenticator, SessionWatch } from '#auth/authentication_middleware'
import { Failure, IdentityUnavailable } from '#kernel/failures'
import type { IdentityProvider, Introspection, AccessState } from '#auth/provider'
import { clock } from '#kernel/clock'

import { guardSession } from './session_guard.js'
import { actorOf, describesToken } from './introspected_actor.js'
import type { VerdictListener, VerdictSource } from './verdict_source.js'
import type { IntrospectionCache, TimedIntrospection } from './shared_introspections.js'
import { isJwt, SignedTokens } from './signed_tokens.js'
import { SingleFlight } from './single_flight.js'
import { guardToken } from './token_guard.js'
import { Verdicts, type Verdict } from './verdicts.js'

const MAX_TOKEN_LENGTH = 16 * 1024
/** How often a provider is asked anew about one token because something changes while it answers. */
const MAX_ATTEMPTS = 3
const REJECTED: Verdict = { actor: undefined, until: 0, about: [], asOf: 0 }
/** For how long it counts that tokens could be verified, or could not. */
const SUCCESS_TTL_MS = 30_000
const FAILURE_TTL_MS = 1_000
/** The share of a verdict's time within which what another process was told is as good as asking. */
const MAX_SHARED_AGE = 0.25

export interface VerifierOptions {
  /** Whether the provider also gives out tokens that only it can read. */
  opaqueTokens?: boolean
  /** For how long an accepted token is accepted again unasked. */
  trustMs?: number
  /** For how long a refused token is refused again unasked. */
  distrustMs?: number
  /** Where processes share what the provider says; otherwise each asks by itself. */
  shared?: IntrospectionCache
  /** How many verdicts of either kind are remembered at least; never more than twice as many. */
  capacity?: number
}

/**
 * Finds out whose token it is: forged tokens are told apart here, whether the others still stand only the provider knows.
 * What it said is remembered for a short time, and then needs neither it nor a wait.
 */
export class TokenVerifier implements Authenticator, VerdictSource {
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

  /** The bearer of a token, at once where that is known. Throws where the provider is needed and away. */
  verify(token: string): Promise<Actor | undefined> | Actor | undefined {
    const verdict = this.verdictFor(token)
    return verdict instanceof Promise ? verdict.then(({ actor }) => actor) : verdict.actor
  }

  /** Ends a connection when the token ends or is revoked. */
  guardConnection(token: string, connection: EndSignal): void {
    guardToken(this, token, connection)
  }

  /** The bearer of a token for as long as the session goes on that the token came from. */
  watchSession(token: string, closed: AbortSignal): SessionWatch {
    return guardSession(this, token, closed)
  }

  /** Forgets what is known of an identity, of a session or a token, or of all, and has its followers look again. */
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

  /** As `verify`, with the time until which that can be relied upon. */
  verdictFor(token: string): Promise<Verdict> | Verdict {
    if (token.length > MAX_TOKEN_LENGTH) {
      return REJECTED
    }
    const key = digestOf(token)
    return this.#verdicts.get(key) ?? this.#verify(key, token, this.#options.trustMs)
  }

  /** As `judge`, but asks even where the answer is known. */
  async renew(token: string): Promise<Verdict> {
    const maxAgeMs = this.#options.trustMs * MAX_SHARED_AGE
    return token.length > MAX_TOKEN_LENGTH
      ? REJECTED
      : this.#verify(digestOf(token), token, maxAgeMs)
  }

  /** Throws where tokens cannot be verified now. That they could be lately is enough. */
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

  /** As `renew`, for a token whose own time is over: what holds for its bearer while the session goes on. */
  async renewExpired(token: string, { actor, about, hasSession }: Verdict): Promise<Verdict> {
    const provider = this.#provider
    return this.#verifications.run(`ended ${digestOf(token)}`, async () => {
      const [askedAt, asOf] = [clock.now(), this.#verdicts.changes.count]
      const state = await provider.introspectExpired?.(token).catch(unavailable)
      const until = askedAt + this.#options.trustMs
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

  /** Has the provider prepare for `renewEnded`. */
  observeToken(token: string, { permissions }: Actor): void {
    this.#provider.observeToken?.(token, permissions).catch(() => {})
  }

  /** For how long an accepted token is accepted again unasked. */
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
    const { introspection, askedAt } = await (this.#shared(key, maxAgeMs, introspect) ??
      introspect())
    const isAccepted = introspection && (!claims || describesToken(introspection, claims))
    const accepted = isAccepted ? introspection : undefined
    const actor = accepted && actorOf(accepted, claims)
    return { ...this.#verdictOf(actor, askedAt), ...subjectsOf(accepted), asOf }
  }

  /** What was told to others before the last change may be about that. */
  #shared(
    key: string,
    maxAgeMs: number,
    introspect: () => Promise<TimedIntrospection>
  ): Promise<TimedIntrospection> | undefined {
    const unchangedForMs = clock.now() - this.#verdicts.changes.lastAt
    return this.#options.shared?.get(key, Math.min(maxAgeMs, unchangedForMs), introspect)
  }

  async #introspect(token: string): Promise<TimedIntrospection> {
    const askedAt = clock.now()
    const introspection = await this.#provider.introspect(token)
    this.#markWorking()
    return { introspection, askedAt }
  }

  #markWorking(): void {
    this.#workedUntil = clock.now() + SUCCESS_TTL_MS
  }

  #verdictOf(actor: Actor | undefined, askedAt: number): Pick<Verdict, 'actor' | 'until'> {
    const now = clock.now()
    const endsAt = actor ? actor.expiresAt * 1_000 : 0
    return endsAt > now
      ? { actor, until: Math.min(endsAt, askedAt + this.#options.trustMs) }
      : { actor: undefined, until: now + this.#options.distrustMs }
  }
}

/** Whose changes a verdict depends on. */
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

/** Whatever kept the provider from answering, callers can only come back later. */
function unavailable(error: unknown): never {
  throw error instanceof Failure ? error : new IdentityUnavailable(undefined, { cause: error })
}

/** Tokens themselves are not kept. */
function digestOf(token: string): string {
  return hash('sha256', token)
}
