import { IdentityUnavailable } from '#kernel/failures'
import { PLATFORM_PERMISSIONS } from './permission_names.js'
import type { IdentityProvider, Introspection } from './provider.js'
import { actorOf } from '#auth/verification/introspected_actor'
import type { Origin } from '#kernel/origin'
import { clock } from '#kernel/clock'

const MASTER_REALM = 'master'

/**
 * Who changes records when the platform does so by itself: its own client, which may do whatever has to be done. Not to be
 * asked for while a transaction is open.
 */
export async function serviceOrigin(): Promise<Origin> {
  const { default: app } = await import('@adonisjs/core/services/app')
  const provider = await app.container.make('identity')
  const introspection = (await ownIntrospection(provider)) ?? (await ownIntrospection(provider))
  if (!introspection) {
    throw new IdentityUnavailable('The identity provider does not know the client of the platform')
  }
  const actor = {
    ...actorOf(introspection, undefined),
    realmName: MASTER_REALM,
    permissions: new Set<string>(PLATFORM_PERMISSIONS),
  }
  return { actor, requestId: clock.uuid(), address: '', userAgent: undefined }
}

/** A token that was revoked meanwhile is refused once; then the provider has another one. */
async function ownIntrospection(provider: IdentityProvider): Promise<Introspection | undefined> {
  return provider.introspect(await provider.ownToken())
}
