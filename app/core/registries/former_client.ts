import { identityProvider } from '#core/clients/identity'
import { serviceOrigin } from '#auth/service_origin'
import type { ClientDirectory, ProviderClient } from '#auth/provider'
import { clock } from '#kernel/clock'

import { isSame } from './same_secret.js'

/** The provider's client as which registries told things before each had a secret of its own. */
export const FORMER_CLIENT = 'registry'

/**
 * Whether a caller is that client, by its id or name and its secret: some registries were told to be before, and go on. It is
 * the one of the platform's own realm, as long as it is active and has a secret.
 */
export async function isFormerClient(name: string, secret: Buffer): Promise<boolean> {
  const { clients } = await identityProvider()
  const found = clients && (await formerClient(clients))
  if (!found || ![found.id, found.name].includes(name)) {
    return false
  }
  const client = await clients.read(found.id, { secret: true })
  return isUsable(client) && isSame(secret, client.secret)
}

/** Gives that client, if there is one, a secret that no registry knows. Answers false where that cannot be found out now. */
export async function renewFormerClient(): Promise<boolean> {
  const { clients } = await identityProvider()
  if (!clients) {
    return false
  }
  const found = await formerClient(clients)
  if (found) {
    await clients.rotate(found.id, { secret: clock.random(32).toString('hex') })
  }
  return true
}

async function formerClient(clients: ClientDirectory): Promise<ProviderClient | undefined> {
  const { actor } = await serviceOrigin()
  return actor.realmId === null ? undefined : clients.findByName(FORMER_CLIENT, actor.realmId)
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
