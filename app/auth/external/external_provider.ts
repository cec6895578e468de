import type { Logger } from '@adonisjs/core/logger'

import { IdentityUnavailable } from '#kernel/failures'
import { introspectionOf, type ClaimNames } from '#auth/oidc/claims'
import {
  ALL_IDS,
  type ClientDirectory,
  type IdentityProvider,
  type Introspection,
  type PeopleDirectory,
  type ProviderChange,
  type ProviderMetadata,
  type AccessState,
} from '#auth/provider'

import { AccountStatus } from './account_status.js'
import { sendRequest } from './provider_request.js'
import { basicAuthorization, type Credentials } from './credentials.js'
import { ExpiredTokens } from './expired_tokens.js'
import { HttpClientDirectory } from './http_client_directory.js'
import { HttpPeopleDirectory } from './http_people_directory.js'
import { subscribeToProviderEvents } from './provider_events.js'
import { OwnToken } from './own_token.js'
import { ProviderApi } from './provider_api.js'

export interface ProviderSettings {
  readonly url: string
  readonly credentials: Credentials
  /** Realm of the platform's own client, by name or id. */
  readonly realm: string
  readonly introspectionAuth: 'none' | 'basic'
  readonly claims: ClaimNames
  /** The Redis on which the provider publishes changes of its records. */
  readonly redisUrl: string | undefined
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/** An external provider with the records API, so with tokens and clients for others. */
export class ExternalProvider implements IdentityProvider {
  readonly clients: ClientDirectory
  readonly people: PeopleDirectory
  readonly #settings: ProviderSettings
  readonly #token: OwnToken
  readonly #accountStatus: AccountStatus
  readonly #expiredTokens: ExpiredTokens
  readonly #subscriptions = new Set<() => Promise<void>>()

  constructor(settings: ProviderSettings) {
    this.#settings = settings
    this.#token = new OwnToken(async () => ownTokenRequest(settings))
    const api = new ProviderApi(settings.url, this.#token)
    this.clients = new HttpClientDirectory(api)
    this.people = new HttpPeopleDirectory(api)
    this.#accountStatus = new AccountStatus(api, settings.logger)
    this.#expiredTokens = new ExpiredTokens(api, this.#accountStatus)
  }

  async whenReady(): Promise<void> {}

  /** Retries once: if the own token was revoked, the provider issues another one. */
  async requireWorking(): Promise<void> {
    for (let attempt = 1; attempt <= 2; attempt++) {
      if (await this.introspect(await this.ownToken())) {
        return
      }
    }
    throw new IdentityUnavailable(
      'The identity provider rejects the token of the client of the platform: check that the client is active'
    )
  }

  /** Without a bearer token of the platform: a provider could introspect that one instead. */
  async introspect(token: string): Promise<Introspection | undefined> {
    const { url, introspectionAuth, credentials, claims } = this.#settings
    const { status, body } = await sendRequest(`${url}/token/introspect`, {
      method: 'POST',
      form: { token },
      ...(introspectionAuth === 'basic' && { authorization: basicAuthorization(credentials) }),
      expected: [200, 400],
    })
    const isActive = status === 200 && body?.active === true
    const introspection = isActive ? introspectionOf(body, claims) : undefined
    if (introspection && (await this.#accountStatus.isActive(introspection))) {
      return introspection
    }
    this.#token.discard(token)
    return undefined
  }

  async metadata(): Promise<ProviderMetadata> {
    const { url } = this.#settings
    const [discovery, jwks] = await Promise.all([
      sendRequest(`${url}/.well-known/openid-configuration`, { expected: [200, 404] }),
      sendRequest(`${url}/jwks`),
    ])
    const issuer = discovery.body?.issuer
    return {
      issuers: typeof issuer === 'string' ? [issuer.replace(/\/realms\/[^/]+\/?$/, '')] : 'any',
      keys: jwks.body?.keys ?? [],
    }
  }

  ownToken(): Promise<string> {
    return this.#token.get()
  }

  introspectExpired(token: string): Promise<AccessState | undefined> {
    return this.#expiredTokens.accessState(token)
  }

  observeToken(token: string, permissions: ReadonlySet<string>): Promise<void> {
    return this.#expiredTokens.observe(token, permissions)
  }

  onAccessChange(listener: (id: string) => void): Promise<() => Promise<void>> {
    return this.onChange(({ type, data }) => listener(type === 'realm' ? ALL_IDS : data.id))
  }

  async onChange(listener: (change: ProviderChange) => void): Promise<() => Promise<void>> {
    const { redisUrl, logger } = this.#settings
    if (redisUrl === undefined) {
      return async () => {}
    }
    const stop = await subscribeToProviderEvents(redisUrl, listener, logger)
    this.#subscriptions.add(stop)
    return async () => {
      this.#subscriptions.delete(stop)
      await stop()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((stop) => stop()))
    this.#subscriptions.clear()
  }
}

function ownTokenRequest({ url, credentials, realm }: ProviderSettings) {
  const form = {
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
    realm_id: realm,
  }
  return { url: `${url}/token`, request: { form } }
}
