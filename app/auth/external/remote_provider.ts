import type {
  ClientDirectory,
  IdentityProvider,
  Introspection,
  PeopleDirectory,
  ProviderChange,
  ProviderMetadata,
  Standing,
} from '#auth/provider'
import { OidcProvider } from '#auth/oidc/oidc_provider'
import { SingleFlight } from '#auth/verification/single_flight'

import { lookAt } from './ask.js'
import { ExternalProvider, type ProviderSettings } from './external_provider.js'
import { missingRights } from './rights.js'

const LOOK_AGAIN_MS = 5_000
const ADVICE = 'give it these at the identity provider, with realm scope any'

/**
 * The provider at IDENTITY_URL, of whichever kind it proves to be: one with `/clients` is asked for clients, any other is
 * taken for plain OpenID Connect. It may answer only later than this process starts, so it is looked at until it does.
 */
export class RemoteProvider implements IdentityProvider {
  readonly #settings: ProviderSettings
  readonly #looks = new SingleFlight<'look', IdentityProvider>()
  readonly #found = Promise.withResolvers<IdentityProvider>()
  #provider: IdentityProvider | undefined
  #nextLook: NodeJS.Timeout | undefined
  #nextLookAtRights: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(settings: ProviderSettings) {
    this.#settings = settings
    this.#lookUntilKnown()
  }

  get clients(): ClientDirectory | undefined {
    return this.#provider?.clients
  }

  get people(): PeopleDirectory | undefined {
    return this.#provider?.people
  }

  async known(): Promise<void> {
    await this.#known()
  }

  async requireWorking(): Promise<void> {
    const provider = await this.#known()
    await provider.requireWorking()
  }

  async introspect(token: string): Promise<Introspection | undefined> {
    const provider = await this.#known()
    return provider.introspect(token)
  }

  async metadata(): Promise<ProviderMetadata> {
    const provider = await this.#known()
    return provider.metadata()
  }

  async ownToken(): Promise<string> {
    const provider = await this.#known()
    return provider.ownToken()
  }

  async introspectEnded(token: string): Promise<Standing | undefined> {
    const provider = await this.#known()
    return provider.introspectEnded?.(token)
  }

  async notice(token: string, permissions: ReadonlySet<string>): Promise<void> {
    const provider = await this.#known()
    await provider.notice?.(token, permissions)
  }

  onChange(listener: (change: ProviderChange) => void): Promise<() => Promise<void>> {
    return this.#listen((provider) => provider.onChange(listener))
  }

  onStanding(listener: (whose: string) => void): Promise<() => Promise<void>> {
    return this.#listen(async (provider) => provider.onStanding?.(listener))
  }

  /** From the time on at which the provider is known; nobody has to wait for that. */
  async #listen(
    begin: (provider: IdentityProvider) => Promise<(() => Promise<void>) | undefined>
  ): Promise<() => Promise<void>> {
    let isStopped = false
    const listening = this.#found.promise.then((provider) =>
      isStopped ? undefined : begin(provider)
    )
    return async () => {
      isStopped = true
      const stop = this.#provider && (await listening)
      await stop?.()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#nextLook)
    clearTimeout(this.#nextLookAtRights)
    await this.#provider?.close()
  }

  async #known(): Promise<IdentityProvider> {
    return this.#provider ?? this.#looks.run('look', () => this.#look())
  }

  async #look(): Promise<IdentityProvider> {
    const { url, logger } = this.#settings
    const keepsClients = await keepsRecordsAt(`${url}/clients`)
    const Provider = keepsClients ? ExternalProvider : OidcProvider
    logger.info({ provider: url, keepsClients }, 'identity provider found')
    this.#provider = new Provider(this.#settings)
    this.#found.resolve(this.#provider)
    if (keepsClients) {
      void this.#lookAtRights(this.#provider)
    }
    return this.#provider
  }

  /** What is missing fails only where it is used first, perhaps much later, so it is said at the start. */
  async #lookAtRights(provider: IdentityProvider): Promise<void> {
    const { logger, credentials } = this.#settings
    try {
      const missing = await missingRights(provider)
      if (missing.length > 0) {
        const client = credentials.clientId
        logger.warn({ client, missing }, 'the client of the platform lacks rights; ' + ADVICE)
      }
    } catch {
      if (!this.#isClosed) {
        const again = () => void this.#lookAtRights(provider)
        this.#nextLookAtRights = setTimeout(again, LOOK_AGAIN_MS).unref()
      }
    }
  }

  #lookUntilKnown(): void {
    this.#known().catch((error) => {
      this.#settings.logger.warn({ err: error.cause }, 'the identity provider does not answer yet')
      if (!this.#isClosed) {
        this.#nextLook = setTimeout(() => this.#lookUntilKnown(), LOOK_AGAIN_MS).unref()
      }
    })
  }
}

/** Records are listed, or shown to nobody without a login; pages for people and redirects are neither. */
async function keepsRecordsAt(url: string): Promise<boolean> {
  const { status, text } = await lookAt(url)
  return status === 401 || status === 403 || (status === 200 && text.startsWith('{'))
}
