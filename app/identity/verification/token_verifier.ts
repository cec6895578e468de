import { hash } from 'node:crypto'

import type { Actor } from '#http/actor'
import type { Authenticator } from '#http/authentication_middleware'
import { Failure, IdentityUnavailable } from '#http/failures'
import type { IdentityProvider } from '#identity/provider'
import { clock } from '#runtime/clock'

import { actorOf, isAbout } from './introspected_actor.js'
import { looksSigned, SignedTokens } from './signed_tokens.js'
import { SingleFlight } from './single_flight.js'
import { stayVerified } from './stay_verified.js'
import { Verdicts, type Verdict } from './verdicts.js'

const MAX_TOKEN_LENGTH = 16 * 1024
const NOBODY: Verdict = { actor: undefined, until: 0 }

export interface VerifierOptions {
  /** Whether the provider also gives out tokens that only it can read. */
  opaqueTokens?: boolean
  /** For how long an accepted token is accepted again unasked. */
  trustMs?: number
  /** For how long a refused token is refused again unasked. */
  distrustMs?: number
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
  readonly #options: Required<VerifierOptions>

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
    return this.#verdicts.get(key) ?? this.#inquire(key, token)
  }

  /** As `judge`, but asks even where the answer is known. */
  async renew(token: string): Promise<Verdict> {
    return token.length > MAX_TOKEN_LENGTH ? NOBODY : this.#inquire(keyOf(token), token)
  }

  /** For how long an accepted token is accepted again unasked. */
  get trustMs(): number {
    return this.#options.trustMs
  }

  #inquire(key: string, token: string): Promise<Verdict> {
    return this.#inquiries.run(key, async () => {
      const askedAt = clock.now()
      const actor = await this.#bearerOf(token).catch(unavailable)
      const verdict = this.#verdictOn(actor, askedAt)
      this.#verdicts.keep(key, verdict)
      return verdict
    })
  }

  async #bearerOf(token: string): Promise<Actor | undefined> {
    const isSigned = looksSigned(token)
    const claims = isSigned ? await this.#signed.claimsOf(token) : undefined
    if (isSigned ? !claims : !this.#options.opaqueTokens) {
      return undefined
    }
    const introspection = await this.#provider.introspect(token)
    const isAccepted = introspection && (!claims || isAbout(introspection, claims))
    return isAccepted ? actorOf(introspection, claims) : undefined
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
