import type {
  ClientDirectory,
  IdentityProvider,
  Introspection,
  PeopleDirectory,
  ProviderChange,
  ProviderMetadata,
  AccessState,
} from '#auth/provider'
import { OidcProvider } from '#auth/oidc/oidc_provider'
import { SingleFlight } from '#kernel/single_flight'

import { probe } from './provider_request.js'
import { ExternalProvider, type ProviderSettings } from './external_provider.js'
import { missingRights } from './rights.js'

const RETRY_MS = 5_000
const ADVICE = 'grant them at the identity provider, with realm scope any'

/**
 * The provider at IDENTITY_URL. If it has `/clients`, the records API is used, otherwise plain OpenID Connect. It may
 * start later than this process, so it is probed until it responds.
 */
export class RemoteProvider implements IdentityProvider {
  readonly #settings: ProviderSettings
  readonly #probes = new SingleFlight<'probe', IdentityProvider>()
  readonly #ready = Promise.withResolvers<IdentityProvider>()
  #provider: IdentityProvider | undefined
  #probeTimer: NodeJS.Timeout | undefined
  #rightsTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(settings: ProviderSettings) {
    this.#settings = settings
    this.#probeUntilReady()
  }

  get clients(): ClientDirectory | undefined {
    return this.#provider?.clients
  }

  get people(): PeopleDirectory | undefined {
    return this.#provider?.people
  }

  async whenReady(): Promise<void> {
    await this.#whenReady()
  }

  async requireWorking(): Promise<void> {
    const provider = await this.#whenReady()
    await provider.requireWorking()
  }

  async introspect(token: string): Promise<Introspection | undefined> {
    const provider = await this.#whenReady()
    return provider.introspect(token)
  }

  async metadata(): Promise<ProviderMetadata> {
    const provider = await this.#whenReady()
    return provider.metadata()
  }

  async ownToken(): Promise<string> {
    const provider = await this.#whenReady()
    return provider.ownToken()
  }

  async introspectExpired(token: string): Promise<AccessState | undefined> {
    const provider = await this.#whenReady()
    return provider.introspectExpired?.(token)
  }

  async observeToken(token: string, permissions: ReadonlySet<string>): Promise<void> {
    const provider = await this.#whenReady()
    await provider.observeToken?.(token, permissions)
  }

  onChange(listener: (change: ProviderChange) => void): Promise<() => Promise<void>> {
    return this.#subscribe((provider) => provider.onChange(listener))
  }

  onAccessChange(listener: (id: string) => void): Promise<() => Promise<void>> {
    return this.#subscribe(async (provider) => provider.onAccessChange?.(listener))
  }

  /** Subscribes once the provider is known, without waiting for that. */
  async #subscribe(
    subscribe: (provider: IdentityProvider) => Promise<(() => Promise<void>) | undefined>
  ): Promise<() => Promise<void>> {
    let isStopped = false
    const subscription = this.#ready.promise.then((provider) =>
      isStopped ? undefined : subscribe(provider)
    )
    return async () => {
      isStopped = true
      const stop = this.#provider && (await subscription)
      await stop?.()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#probeTimer)
    clearTimeout(this.#rightsTimer)
    await this.#provider?.close()
  }

  async #whenReady(): Promise<IdentityProvider> {
    return this.#provider ?? this.#probes.run('probe', () => this.#probe())
  }

  async #probe(): Promise<IdentityProvider> {
    const { url, logger } = this.#settings
    const keepsClients = await hasRecordsApi(`${url}/clients`)
    const Provider = keepsClients ? ExternalProvider : OidcProvider
    logger.info({ provider: url, keepsClients }, 'identity provider found')
    this.#provider = new Provider(this.#settings)
    this.#ready.resolve(this.#provider)
    if (keepsClients) {
      void this.#checkRights(this.#provider)
    }
    return this.#provider
  }

  /** Reports missing permissions at the start, since they would otherwise fail much later. */
  async #checkRights(provider: IdentityProvider): Promise<void> {
    const { logger, credentials } = this.#settings
    try {
      const missing = await missingRights(provider)
      if (missing.length > 0) {
        const client = credentials.clientId
        logger.warn({ client, missing }, 'the client of the platform lacks permissions; ' + ADVICE)
      }
    } catch {
      if (!this.#isClosed) {
        const retry = () => void this.#checkRights(provider)
        this.#rightsTimer = setTimeout(retry, RETRY_MS).unref()
      }
    }
  }

  #probeUntilReady(): void {
    this.#whenReady().catch((error) => {
      this.#settings.logger.warn({ err: error.cause }, 'the identity provider does not answer yet')
      if (!this.#isClosed) {
        this.#probeTimer = setTimeout(() => this.#probeUntilReady(), RETRY_MS).unref()
      }
    })
  }
}

/** Whether the address lists records or requires a login. Web pages and redirects do neither. */
async function hasRecordsApi(url: string): Promise<boolean> {
  const { status, text } = await probe(url)
  return status === 401 || status === 403 || (status === 200 && text.startsWith('{'))
}
