import { sendRequest } from '#auth/external/provider_request'
import { basicAuthorization } from '#auth/external/credentials'
import type { ProviderSettings } from '#auth/external/external_provider'
import { OwnToken } from '#auth/external/own_token'
import type { IdentityProvider, Introspection, ProviderMetadata } from '#auth/provider'
import { isJwt, SignedTokens } from '#auth/verification/signed_tokens'

import { introspectionOf } from './claims.js'
import { DiscoveredEndpoints } from './discovery.js'

/**
 * Any OpenID Connect provider. It authenticates callers but has no clients for others, so nodes and analyses cannot be
 * created with it.
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

  /** Introspecting an invalid token must succeed, with an inactive result. */
  async requireWorking(): Promise<void> {
    await this.metadata()
    await this.introspect('none')
  }

  /** Claims of a signed token complete the introspection. Without an introspection endpoint they are all there is. */
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
    const { body } = await sendRequest(keys)
    return { issuers: [issuer], keys: body?.keys ?? [] }
  }

  ownToken(): Promise<string> {
    return this.#token.get()
  }

  /** Plain OpenID Connect has no events of realms, users and clients. */
  async onChange(): Promise<() => Promise<void>> {
    return async () => {}
  }

  async close(): Promise<void> {}

  async #introspectAt(
    endpoint: string,
    token: string
  ): Promise<Record<string, unknown> | undefined> {
    const { introspectionAuth, credentials } = this.#settings
    const { status, body } = await sendRequest(endpoint, {
      method: 'POST',
      form: { token, token_type_hint: 'access_token' },
      ...(introspectionAuth === 'basic' && { authorization: basicAuthorization(credentials) }),
      expected: [200, 400],
    })
    return status === 200 && body?.active === true ? body : undefined
  }

  async #ownTokenRequest() {
    const { tokenEndpoint } = await this.#endpoints.get()
    const request = {
      form: { grant_type: 'client_credentials' },
      authorization: basicAuthorization(this.#settings.credentials),
    }
    return { url: tokenEndpoint, request }
  }
}
