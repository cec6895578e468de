import { IdentityUnavailable } from '#kernel/failures'
import { findClientIn, type ClientAccount } from './accounts.js'
import { grantedPermissionNames } from './granted_permissions.js'
import type { Origin } from '#kernel/origin'
import { clock } from '#kernel/clock'
import { identitySettings } from '#identity/identity_settings'

/** The client of the platform at its own provider. */
export async function platformClient(): Promise<ClientAccount> {
  const { realm, clientId } = identitySettings().platform
  const client = await findClientIn(realm, clientId)
  if (!client?.active) {
    const state = client ? 'is not active' : 'is not there'
    const cause = new Error(`the client ${clientId} of the realm ${realm} ${state}`)
    throw new IdentityUnavailable(undefined, { cause })
  }
  return client
}

/** The origin of changes by the platform itself, with the permissions of its client. */
export async function platformOrigin(): Promise<Origin> {
  const client = await platformClient()
  return {
    actor: {
      kind: 'client',
      id: client.id,
      name: client.name,
      realmId: client.realmId,
      realmName: client.realmName,
      clientId: client.id,
      permissions: new Set(await grantedPermissionNames('client', client.id)),
      expiresAt: Number.MAX_SAFE_INTEGER,
    },
    requestId: clock.uuid(),
    address: '',
    userAgent: undefined,
  }
}
