import type { ClientDirectory, IdentityProvider } from '#identity/provider'

import { clientsOf } from './client_directory.js'
import type { Owner } from './client_provisioning.js'
import { ensurePermissions } from './client_permissions.js'

export interface OwnerOfClient extends Owner {
  readonly clientId: string | null
}

interface ClientReconciliation {
  provider: Pick<IdentityProvider, 'clients'>
  /** The records that should have a client, in whatever pages they are read. */
  owners: () => AsyncIterable<OwnerOfClient>
  /** Stores a new client's id with its record; false where the record is gone. */
  assign: (owner: Owner, clientId: string) => Promise<boolean>
  permissions: { readonly names: readonly string[]; readonly nothingElse?: boolean }
}

/**
 * Gives a client to every record that should have one and whose client is gone at the provider, and its permissions back
 * to every client. Answers how many clients were created.
 */
export async function reconcileClients(
  { provider, owners, assign, permissions }: ClientReconciliation,
  signal: AbortSignal
): Promise<number> {
  const clients = clientsOf(provider)
  let created = 0
  for await (const owner of owners()) {
    if (signal.aborted) {
      break
    }
    const existing = owner.clientId === null ? undefined : await clients.read(owner.clientId)
    const clientId = existing?.id ?? (await replaced(clients, owner, assign))
    if (clientId !== undefined) {
      created += existing ? 0 : 1
      await ensurePermissions(clients, clientId, permissions)
    }
  }
  return created
}

async function replaced(
  clients: ClientDirectory,
  { id, realmId }: Owner,
  assign: ClientReconciliation['assign']
): Promise<string | undefined> {
  const client = await clients.create({ name: id, realmId })
  if (await assign({ id, realmId }, client.id)) {
    return client.id
  }
  await clients.remove(client.id)
  return undefined
}
