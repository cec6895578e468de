import { hash } from 'node:crypto'

import type { Actor } from '#http/actor'
import type { Authenticator } from '#http/authentication_middleware'
import { Failure, IdentityUnavailable } from '#http/failures'
import type { IdentityProvider } from '#identity/provider'
import { clock } from '#runtime/clock'

import { actorOf, isAbout } from './introspected_actor.js'
import type { Introspections, Told } from './shared_introspections.js'
import { looksSigned, SignedTokens } from './signed_tokens.js'
import { SingleFlight } from './single_flight.js'
import { stayVerified } from './stay_verified.js'
import { Verdicts, type Verdict } from './verdicts.js'

const MAX_TOKEN_LENGTH = 16 * 1024
const NOBODY: Verdict = { actor: undefined, until: 0 }
/** For how long it counts that tokens could be verified, or could not. */
const WORKED_MS = 30_000
const FAILED_MS = 1_000
/** The share of a verdict's time within which what another process was told is as good as asking. */
const AS_GOOD_AS_NEW = 0.25

export interface VerifierOptions {
  /** Whether the provider also gives out tokens that only it can read. */
  opaqueTokens?: boolean
  /** For how long an accepted token is accepted again unasked. */
  trustMs?: number
  /** For how long a refused token is refused again unasked. */
  distrustMs?: number
  /** Where processes share what the provider says; otherwise each asks by itself. */
  shared?: Introspections
  /** How many verdicts of either kind are remembered at least; never more than twice as many. */
  capacity?: number
}

/**
 * Finds out whose token it is: forged tokens are told apart here, whether the others still stand only the provider knows.
 * What it said is remembered for a short time, and then needs neither it nor a wait.
 */
export class TokenVerifier implements Authenticator {
  readonly #provider: IdentityProvider
  readonly #signed: SignedTokens
  readonly #verdicts: Verdicts
  readonly #inquiries = new SingleFlight<string, Verdict>()
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
    const verdict = this.judge(token)
    return verdict instanceof Promise ? verdict.then(({ actor }) => actor) : verdict.actor
  }

  /** Aborts with `closed`, and when the token ends or is revoked. */
  stay(token: string, closed: AbortSignal): AbortSignal {
    return stayVerified(this, token, closed)
  }

  /** As `verify`, with the time until which that can be relied upon. */
  judge(token: string): Promise<Verdict> | Verdict {
    if (token.length > MAX_TOKEN_LENGTH) {
      return NOBODY
    }
    const key = keyOf(token)
    return this.#verdicts.get(key) ?? this.#inquire(key, token, this.#options.trustMs)
  }

  /** As `judge`, but asks even where the answer is known. */
  async renew(token: string): Promise<Verdict> {
    const maxAgeMs = this.#options.trustMs * AS_GOOD_AS_NEW
    return token.length > MAX_TOKEN_LENGTH ? NOBODY : this.#inquire(keyOf(token), token, maxAgeMs)
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
      this.#worked()
    } catch (failure) {
      this.#failed = { until: clock.now() + FAILED_MS, failure }
      throw failure
    }
  }

  /** For how long an accepted token is accepted again unasked. */
  get trustMs(): number {
    return this.#options.trustMs
  }

  #inquire(key: string, token: string, maxAgeMs: number): Promise<Verdict> {
    return this.#inquiries.run(key, async () => {
      const verdict = await this.#verdictFor(key, token, maxAgeMs).catch(unavailable)
      this.#verdicts.keep(key, verdict)
      return verdict
    })
  }

  async #verdictFor(key: string, token: string, maxAgeMs: number): Promise<Verdict> {
    const isSigned = looksSigned(token)
    const claims = isSigned ? await this.#signed.claimsOf(token) : undefined
    if (isSigned ? !claims : !this.#options.opaqueTokens) {
      return this.#verdictOn(undefined, clock.now())
    }
    const ask = () => this.#ask(token)
    const { introspection, askedAt } = await (this.#options.shared?.of(key, maxAgeMs, ask) ?? ask())
    const isAccepted = introspection && (!claims || isAbout(introspection, claims))
    return this.#verdictOn(isAccepted ? actorOf(introspection, claims) : undefined, askedAt)
  }

  async #ask(token: string): Promise<Told> {
    const askedAt = clock.now()
    const introspection = await this.#provider.introspect(token)
    this.#worked()
    return { introspection, askedAt }
  }

  #worked(): void {
    this.#workedUntil = clock.now() + WORKED_MS
  }

  #verdictOn(actor: Actor | undefined, askedAt: number): Verdict {
    const now = clock.now()
    const endsAt = actor ? actor.expiresAt * 1_000 : 0
    return endsAt > now
      ? { actor, until: Math.min(endsAt, askedAt + this.#options.trustMs) }
      : { actor: undefined, until: now + this.#options.distrustMs }
  }
}

/** Whatever kept the provider from answering, callers can only come back later. */
function unavailable(error: unknown): never {
  throw error instanceof Failure ? error : new IdentityUnavailable(undefined, { cause: error })
}

/** Tokens themselves are not kept. */
function keyOf(token: string): string {
  return hash('sha256', token)
}
