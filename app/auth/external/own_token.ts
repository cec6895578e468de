import { IdentityUnavailable } from '#kernel/failures'
import { SingleFlight } from '#kernel/single_flight'
import { clock } from '#kernel/clock'

import { sendRequest, type ProviderRequest } from './provider_request.js'

const RENEWED_BEFORE_MS = 60_000
const DEFAULT_LIFETIME_S = 300

interface PreparedRequest {
  readonly url: string
  readonly request: ProviderRequest
}

interface CachedToken {
  readonly token: string
  readonly renewAt: number
}

/** The access token of the platform, requested on first use and renewed a minute before it expires. */
export class OwnToken {
  readonly #prepare: () => Promise<PreparedRequest>
  readonly #fetches = new SingleFlight<'token', CachedToken>()
  #cached: CachedToken | undefined

  /** `prepare` returns the token request. */
  constructor(prepare: () => Promise<PreparedRequest>) {
    this.#prepare = prepare
  }

  async get(): Promise<string> {
    const isGood = this.#cached && clock.now() < this.#cached.renewAt
    const { token } = isGood ? this.#cached! : await this.#renew()
    return token
  }

  /** Discards a token that was rejected, unless it was replaced already. */
  discard(token: string): void {
    if (this.#cached?.token === token) {
      this.#cached = undefined
    }
  }

  #renew(): Promise<CachedToken> {
    return this.#fetches.run('token', async () => {
      const requestedAt = clock.now()
      const { url, request } = await this.#prepare()
      const { body } = await sendRequest(url, { method: 'POST', ...request })
      this.#cached = { token: tokenIn(body), renewAt: requestedAt + usableMs(body) }
      return this.#cached
    })
  }
}

function tokenIn(body: any): string {
  if (typeof body?.access_token !== 'string') {
    const cause = new Error('the token response of the identity provider has no access_token')
    throw new IdentityUnavailable(undefined, { cause })
  }
  return body.access_token
}

/** Tokens with a short lifetime are renewed halfway. */
function usableMs({ expires_in: lifetime }: { expires_in?: unknown }): number {
  const lifetimeMs = (Number(lifetime) || DEFAULT_LIFETIME_S) * 1_000
  return lifetimeMs - Math.min(RENEWED_BEFORE_MS, lifetimeMs / 2)
}
