import { IdentityUnavailable } from '#kernel/failures'
import { ask } from '#auth/external/ask'
import { SingleFlight } from '#auth/verification/single_flight'

export interface Discovery {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly keys: string
  /** Undefined where the provider does not say anything about its tokens. */
  readonly introspection: string | undefined
}

/**
 * What a provider says of itself at the address OpenID Connect has for that. It is read once; a provider that moves its
 * endpoints is noticed with the next start.
 */
export class DiscoveredEndpoints {
  readonly #url: string
  readonly #readings = new SingleFlight<'document', Discovery>()
  #known: Discovery | undefined

  constructor(url: string) {
    this.#url = url
  }

  async get(): Promise<Discovery> {
    return this.#known ?? this.#readings.run('document', () => this.#read())
  }

  async #read(): Promise<Discovery> {
    const { body } = await ask(`${this.#url}/.well-known/openid-configuration`)
    if (typeof body?.issuer !== 'string' || !body.jwks_uri || !body.token_endpoint) {
      const cause = new Error(`${this.#url} does not describe an OpenID Connect provider`)
      throw new IdentityUnavailable(undefined, { cause })
    }
    this.#known = {
      issuer: body.issuer,
      tokenEndpoint: tidy(body.token_endpoint),
      keys: tidy(body.jwks_uri),
      introspection: body.introspection_endpoint && tidy(body.introspection_endpoint),
    }
    return this.#known
  }
}

/** Some providers put a slash too many between the parts of their addresses. */
function tidy(address: string): string {
  const url = new URL(address)
  url.pathname = url.pathname.replace(/\/{2,}/g, '/')
  return url.href
}
