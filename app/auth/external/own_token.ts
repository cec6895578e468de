import { IdentityUnavailable } from '#kernel/failures'
import { SingleFlight } from '#auth/verification/single_flight'
import { clock } from '#kernel/clock'

import { ask, type Question } from './ask.js'

const RENEWED_BEFORE_MS = 60_000
const DEFAULT_LIFETIME_S = 300

interface CachedToken {
  readonly token: string
  readonly renewAt: number
}

/**
 * The token for the platform's own calls, fetched when it is first needed and again a minute before it ends.
 */
export class OwnToken {
  readonly #fetch: () => Promise<{ url: string; question: Question }>
  readonly #fetches = new SingleFlight<'token', CachedToken>()
  #cached: CachedToken | undefined

  /** `request` says how a token is asked for. */
  constructor(request: () => Promise<{ url: string; question: Question }>) {
    this.#fetch = request
  }

  async get(): Promise<string> {
    const isGood = this.#cached && clock.now() < this.#cached.renewAt
    const { token } = isGood ? this.#cached! : await this.#renew()
    return token
  }

  /** Lets go of a token that was refused, unless there is another one already. */
  discard(token: string): void {
    if (this.#cached?.token === token) {
      this.#cached = undefined
    }
  }

  #renew(): Promise<CachedToken> {
    return this.#fetches.run('token', async () => {
      const requestedAt = clock.now()
      const { url, question } = await this.#fetch()
      const { body } = await ask(url, { method: 'POST', ...question })
      this.#cached = { token: tokenIn(body), renewAt: requestedAt + usableMs(body) }
      return this.#cached
    })
  }
}

function tokenIn(body: any): string {
  if (typeof body?.access_token !== 'string') {
    const cause = new Error('the identity provider answered a request for a token without one')
    throw new IdentityUnavailable(undefined, { cause })
  }
  return body.access_token
}

/** Tokens that live for a short time only are renewed halfway. */
function usableMs({ expires_in: lifetime }: { expires_in?: unknown }): number {
  const lifetimeMs = (Number(lifetime) || DEFAULT_LIFETIME_S) * 1_000
  return lifetimeMs - Math.min(RENEWED_BEFORE_MS, lifetimeMs / 2)
}
