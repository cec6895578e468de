import { identityProvider } from '#core/clients/identity_provider'
import { serviceOrigin } from '#auth/service_origin'
import type { ClientDirectory, ProviderClient } from '#auth/provider'
import { clock } from '#kernel/clock'

import { isSameSecret } from './is_same_secret.js'

/** The provider's client as which registries told things before each had a secret of its own. */
export const LEGACY_CLIENT = 'registry'

/**
 * Whether a caller is that client, by its id or name and its secret: some registries were told to be before, and go on. It is
 * the one of the platform's own realm, as long as it is active and has a secret.
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

/** Gives that client, if there is one, a secret that no registry knows. Answers false where that cannot be found out now. */
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
