import { ask } from '#auth/external/ask'
import { basicAuthorization } from '#auth/external/credentials'
import type { ProviderSettings } from '#auth/external/external_provider'
import { OwnToken } from '#auth/external/own_token'
import type { IdentityProvider, Introspection, ProviderMetadata } from '#auth/provider'
import { isJwt, SignedTokens } from '#auth/verification/signed_tokens'

import { introspectionOf } from './claims.js'
import { DiscoveredEndpoints } from './discovery.js'

/**
 * Any OpenID Connect provider. It knows who calls, but keeps no clients for others: nodes and analyses cannot be created
 * with it.
 */
export class OidcProvider implements IdentityProvider {
  readonly clients = undefined
  readonly people = undefined
  readonly #settings: ProviderSettings
  readonly #endpoints: DiscoveredEndpoints
  readonly #signed = new SignedTokens(this)
  readonly #token: OwnToken

  constructor(settings: ProviderSettings) {
    this.#settings = settings
    this.#endpoints = new DiscoveredEndpoints(settings.url)
    this.#token = new OwnToken(() => this.#ownTokenRequest())
  }

  async whenReady(): Promise<void> {}

  /** A caller that asks about a token that is none has to be told so. */
  async requireWorking(): Promise<void> {
    await this.metadata()
    await this.introspect('none')
  }

  /** A signed token's own claims complete what the provider says of it; where it says nothing, they have to do. */
  async introspect(token: string): Promise<Introspection | undefined> {
    const { introspection } = await this.#endpoints.get()
    const signed = isJwt(token) ? await this.#signed.claimsOf(token) : undefined
    const introspected = introspection ? await this.#introspectAt(introspection, token) : signed
    if (!introspected) {
      this.#token.discard(token)
      return undefined
    }
    return introspectionOf({ ...signed, ...introspected }, this.#settings.claims)
  }

  async metadata(): Promise<ProviderMetadata> {
    const { issuer, keys } = await this.#endpoints.get()
    const { body } = await ask(keys)
    return { issuers: [issuer], keys: body?.keys ?? [] }
  }

  ownToken(): Promise<string> {
    return this.#token.get()
  }

  /** Nothing is told of realms, users and clients. */
  async onChange(): Promise<() => Promise<void>> {
    return async () => {}
  }

  async close(): Promise<void> {}

  async #introspectAt(
    endpoint: string,
    token: string
  ): Promise<Record<string, unknown> | undefined> {
    const { introspectionAuth, credentials } = this.#settings
    const { status, body } = await ask(endpoint, {
      method: 'POST',
      form: { token, token_type_hint: 'access_token' },
      ...(introspectionAuth === 'basic' && { authorization: basicAuthorization(credentials) }),
      expected: [200, 400],
    })
    return status === 200 && body?.active === true ? body : undefined
  }

  async #ownTokenRequest() {
    const { tokenEndpoint } = await this.#endpoints.get()
    const question = {
      form: { grant_type: 'client_credentials' },
      authorization: basicAuthorization(this.#settings.credentials),
    }
    return { url: tokenEndpoint, question }
  }
}
