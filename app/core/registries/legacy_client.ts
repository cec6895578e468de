import { identityProvider } from '#core/clients/identity_provider'
import { serviceOrigin } from '#auth/service_origin'
import type { ClientDirectory, ProviderClient } from '#auth/provider'
import { clock } from '#kernel/clock'

import { isSameSecret } from './is_same_secret.js'

/** The client of the identity provider that registries used before each got its own webhook secret. */
const LEGACY_CLIENT = 'registry'

/**
 * Returns whether a name or id and a secret are those of the legacy client, which some registries still use. The client has
 * to be active, and in the realm of the platform.
 */
export async function isLegacyClient(name: string, secret: Buffer): Promise<boolean> {
  const { clients } = await identityProvider()
  const legacyClient = clients && (await findLegacyClient(clients))
  if (!legacyClient || ![legacyClient.id, legacyClient.name].includes(name)) {
    return false
  }
  const client = await clients.read(legacyClient.id, { secret: true })
  return isUsable(client) && isSameSecret(secret, client.secret)
}

/** Rotates the secret of the legacy client, if it exists. Returns false if the provider does not manage clients. */
export async function rotateLegacyClient(): Promise<boolean> {
  const { clients } = await identityProvider()
  if (!clients) {
    return false
  }
  const legacyClient = await findLegacyClient(clients)
  if (legacyClient) {
    await clients.rotate(legacyClient.id, { secret: clock.random(32).toString('hex') })
  }
  return true
}

async function findLegacyClient(clients: ClientDirectory): Promise<ProviderClient | undefined> {
  const { actor } = await serviceOrigin()
  return actor.realmId === null ? undefined : clients.findByName(LEGACY_CLIENT, actor.realmId)
}

function isUsable(
  client: ProviderClient | undefined
): client is ProviderClient & { secret: string } {
  return (
    client !== undefined &&
    client.active !== false &&
    client.isConfidential !== false &&
    typeof client.secret === 'string' &&
    client.secret !== ''
  )
}
