import type { Actor } from '#kernel/actor'
import { IdentityUnavailable } from '#kernel/failures'
import { PLATFORM_PERMISSIONS } from './permission_names.js'
import { IdentityProvider, type Introspection } from './provider.js'
import { expiringCache } from '#auth/verification/expiring_cache'
import { SingleFlight } from '#kernel/single_flight'
import { actorOf } from '#auth/verification/introspected_actor'
import type { Origin } from '#kernel/origin'
import { clock } from '#kernel/clock'
import { oncePer } from '#kernel/once_per'

const MASTER_REALM = 'master'

/** The origin of changes by the platform itself. Do not call it while a transaction is open. */
export async function serviceOrigin(): Promise<Origin> {
  const { default: app } = await import('@adonisjs/core/services/app')
  const actor = await platformActor(await app.container.make(IdentityProvider))
  return { actor, requestId: clock.uuid(), address: '', userAgent: undefined }
}

/** The platform's own client. Its introspection is cached as long as that of any other caller. */
export async function platformActor(provider: IdentityProvider): Promise<Actor> {
  const introspection = await introspectionsOf(provider).current()
  return {
    ...actorOf(introspection, undefined),
    realmName: MASTER_REALM,
    permissions: new Set<string>(PLATFORM_PERMISSIONS),
  }
}

/** The introspections of the platform's own client at a provider. */
class OwnIntrospections {
  readonly #provider: IdentityProvider
  readonly #verified = expiringCache<'own', Introspection>({ size: 1, ttlMs: 60_000 })
  readonly #pending = new SingleFlight<'own', Introspection>()

  constructor(provider: IdentityProvider) {
    this.#provider = provider
  }

  async current(): Promise<Introspection> {
    return this.#verified.get('own') ?? this.#pending.run('own', () => this.#verify())
  }

  async #verify(): Promise<Introspection> {
    const requestedAt = clock.now()
    const introspection = (await this.#introspect()) ?? (await this.#introspect())
    if (!introspection) {
      throw new IdentityUnavailable(
        'The identity provider does not accept the client of the platform: check CLIENT_ID and that the client is active'
      )
    }
    this.#verified.set('own', introspection, { start: requestedAt })
    return introspection
  }

  /** A revoked token is rejected once; then the provider issues another one. */
  async #introspect(): Promise<Introspection | undefined> {
    return this.#provider.introspect(await this.#provider.ownToken())
  }
}

const introspectionsOf = oncePer((provider: IdentityProvider) => new OwnIntrospections(provider))
