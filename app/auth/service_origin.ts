import type { Actor } from '#kernel/actor'
import { IdentityUnavailable } from '#kernel/failures'
import { PLATFORM_PERMISSIONS } from './permission_names.js'
import { IdentityProvider, type Introspection } from './provider.js'
import { ExpiringCache } from '#auth/verification/expiring_cache'
import { SingleFlight } from '#kernel/single_flight'
import { actorOf } from '#auth/verification/introspected_actor'
import type { Origin } from '#kernel/origin'
import { clock } from '#kernel/clock'

const MASTER_REALM = 'master'

const verified = new ExpiringCache<IdentityProvider, Introspection>({ size: 1, ttlMs: 60_000 })
const introspections = new SingleFlight<IdentityProvider, Introspection>()

/** The origin of changes by the platform itself. Do not call it while a transaction is open. */
export async function serviceOrigin(): Promise<Origin> {
  const { default: app } = await import('@adonisjs/core/services/app')
  const actor = await platformActor(await app.container.make(IdentityProvider))
  return { actor, requestId: clock.uuid(), address: '', userAgent: undefined }
}

/** The platform's own client. Its introspection is cached as long as that of any other caller. */
export async function platformActor(provider: IdentityProvider): Promise<Actor> {
  const introspection =
    verified.get(provider) ?? (await introspections.run(provider, () => verify(provider)))
  return {
    ...actorOf(introspection, undefined),
    realmName: MASTER_REALM,
    permissions: new Set<string>(PLATFORM_PERMISSIONS),
  }
}

async function verify(provider: IdentityProvider): Promise<Introspection> {
  const requestedAt = clock.now()
  const introspection = (await ownIntrospection(provider)) ?? (await ownIntrospection(provider))
  if (!introspection) {
    throw new IdentityUnavailable(
      'The identity provider does not accept the client of the platform: check CLIENT_ID and that the client is active'
    )
  }
  verified.set(provider, introspection, requestedAt)
  return introspection
}

/** A revoked token is rejected once; then the provider issues another one. */
async function ownIntrospection(provider: IdentityProvider): Promise<Introspection | undefined> {
  return provider.introspect(await provider.ownToken())
}
