import type { Logger } from '@adonisjs/core/logger'

import { IdentityUnavailable } from '#http/failures'
import type { ClientDirectory, IdentityProvider } from '#identity/provider'

import { clientsOf } from './client_directory.js'
import { clientFor, type Owner } from './record_clients.js'
import { ensurePermissions, type WantedPermissions } from './client_permissions.js'

export interface OwnerOfClient extends Owner {
  readonly clientId: string | null
}

interface ClientReconciliation {
  provider: Pick<IdentityProvider, 'clients'>
  /** The records that should have a client, in whatever pages they are read. */
  owners: () => AsyncIterable<OwnerOfClient>
  /** Stores a new client's id with its record; false where the record is gone. */
  assign: (owner: Owner, clientId: string) => Promise<boolean>
  permissions: WantedPermissions
  logger: Pick<Logger, 'warn'>
}

/**
 * Gives a client to every record that should have one and whose client is gone at the provider, and its permissions back
 * to every client, and what people know a client by where it has nothing. A record that cannot have one, because its realm is going, does not keep the others from theirs. Answers
 * how many clients were created.
 */
export async function reconcileClients(
  reconciliation: ClientReconciliation,
  signal: AbortSignal
): Promise<number> {
  const { provider, owners, logger } = reconciliation
  const clients = clientsOf(provider)
  let created = 0
  for await (const owner of owners()) {
    if (signal.aborted) {
      break
    }
    try {
      created += await reconcile(clients, owner, reconciliation)
    } catch (error) {
      if (error instanceof IdentityUnavailable) {
        throw error
      }
      logger.warn({ err: error, record: owner.id }, 'a record is without its client for now')
    }
  }
  return created
}

async function reconcile(
  clients: ClientDirectory,
  owner: OwnerOfClient,
  { assign, permissions }: ClientReconciliation
): Promise<0 | 1> {
  const existing = owner.clientId === null ? undefined : await clients.read(owner.clientId)
  const clientId = existing?.id ?? (await replaced(clients, owner, assign))
  if (clientId === undefined) {
    return 0
  }
  await ensurePermissions(clients, clientId, permissions)
  if (existing && !existing.displayName) {
    await clients.display(clientId, owner.id)
  }
  return existing ? 0 : 1
}

async function replaced(
  clients: ClientDirectory,
  owner: Owner,
  assign: ClientReconciliation['assign']
): Promise<string | undefined> {
  const client = await clients.create(clientFor(owner))
  if (await assign(owner, client.id)) {
    return client.id
  }
  await clients.remove(client.id)
  return undefined
}
