import { IdentityUnavailable } from '#kernel/failures'
import { sendRequest } from '#auth/external/provider_request'
import { SingleFlight } from '#kernel/single_flight'

export interface Discovery {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly keys: string
  /** Undefined if the provider has no introspection endpoint. */
  readonly introspection: string | undefined
}

/** The discovery document of a provider. It is read once, so changed endpoints need a restart. */
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
    const { body } = await sendRequest(`${this.#url}/.well-known/openid-configuration`)
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

/** Some providers publish addresses with duplicate slashes. */
function tidy(address: string): string {
  const url = new URL(address)
  url.pathname = url.pathname.replace(/\/{2,}/g, '/')
  return url.href
}
