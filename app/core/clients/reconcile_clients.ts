import { IdentityUnavailable } from '#kernel/failures'
import type { ClientDirectory, IdentityProvider } from '#auth/provider'

import { requireClients } from './client_directory.js'
import { ensurePermissions, type TargetPermissions } from '#auth/client_permissions'
import { enforceRemovalLimit } from '#auth/removal_limit'
import type { SkippedRecords } from './skipped_records.js'
import { clientFor, type ClientOwner } from '#auth/record_clients'

/** After this many consecutive failures the provider counts as unavailable. */
const FAILURES_IN_A_ROW = 3

export interface OwnerOfClient extends ClientOwner {
  readonly clientId: string | null
}

export type ReconcilingProvider = Pick<
  IdentityProvider,
  'clients' | 'people' | 'whenReady' | 'introspect' | 'ownToken'
>

interface ClientReconciliation {
  provider: ReconcilingProvider
  /** The records that should have a client. */
  owners: () => AsyncIterable<OwnerOfClient>
  /** Stores the id of a new client in its record; returns false if the record was deleted. */
  assign: (owner: ClientOwner, clientId: string) => Promise<boolean>
  permissions: TargetPermissions
  skipped: SkippedRecords
}

/**
 * Creates missing clients of records, and restores permissions and display names of existing ones. A record that fails,
 * for example because its realm is being deleted, does not stop the others. Returns the number of created clients.
 */
export async function reconcileClients(
  reconciliation: ClientReconciliation,
  signal: AbortSignal
): Promise<number> {
  const { provider, owners, skipped } = reconciliation
  const clients = await requireClients(provider)
  const loop = new RecordLoop(skipped, signal)
  const without: OwnerOfClient[] = []
  skipped.start()
  for await (const owner of owners()) {
    await loop.run(owner, async () => {
      if (!(await hasClient(clients, owner, reconciliation))) {
        without.push(owner)
      }
    })
  }
  const lost = without.filter(({ clientId }) => clientId !== null)
  if (lost.length > 0) {
    await requireTrustworthy(provider, clients)
    enforceRemovalLimit(await countInRealms(provider, lost), 'clients')
  }
  let created = 0
  for (const owner of without) {
    await loop.run(owner, async () => {
      created += await replaceClient(clients, owner, reconciliation)
    })
  }
  skipped.finish()
  return created
}

/** Continues after a record fails, and stops when the provider is unavailable. */
class RecordLoop {
  readonly #skipped: SkippedRecords
  readonly #signal: AbortSignal
  #failuresInARow = 0

  constructor(skipped: SkippedRecords, signal: AbortSignal) {
    this.#skipped = skipped
    this.#signal = signal
  }

  async run({ id }: ClientOwner, work: () => Promise<void>): Promise<void> {
    if (this.#signal.aborted) {
      return
    }
    try {
      await work()
      this.#failuresInARow = 0
    } catch (error) {
      const isUnavailable = error instanceof IdentityUnavailable
      this.#failuresInARow = isUnavailable ? this.#failuresInARow + 1 : 0
      if (this.#failuresInARow === FAILURES_IN_A_ROW) {
        throw error
      }
      this.#skipped.add(id, error)
    }
  }
}

/** Whether the client of a record exists. Restores the permissions and the display name of an existing one. */
async function hasClient(
  clients: ClientDirectory,
  { id, clientId }: OwnerOfClient,
  { permissions }: ClientReconciliation
): Promise<boolean> {
  const existing = clientId === null ? undefined : await clients.read(clientId)
  if (existing) {
    await ensurePermissions(clients, existing.id, permissions)
    if (!existing.displayName) {
      await clients.setDisplayName(existing.id, id)
    }
  }
  return existing !== undefined
}

/** Does not trust a provider that does not find the client of the platform itself. */
async function requireTrustworthy(
  provider: ReconcilingProvider,
  clients: ClientDirectory
): Promise<void> {
  const own = await provider.introspect(await provider.ownToken())
  if (!own || !(await clients.read(own.sub))) {
    throw new IdentityUnavailable(
      'The identity provider does not find the client of the platform, so no client was replaced: check its clients'
    )
  }
}

/** Counts the records of existing realms; no client can be created for the others. */
async function countInRealms(
  { people }: ReconcilingProvider,
  lost: readonly OwnerOfClient[]
): Promise<number> {
  const realms = new Map<string, boolean>()
  for (const { realmId } of lost) {
    if (!realms.has(realmId)) {
      realms.set(realmId, (await people?.hasRealm(realmId)) ?? true)
    }
  }
  return lost.filter(({ realmId }) => realms.get(realmId)).length
}

async function replaceClient(
  clients: ClientDirectory,
  owner: ClientOwner,
  { assign, permissions }: ClientReconciliation
): Promise<0 | 1> {
  const client = await clients.create(clientFor(owner))
  if (!(await assign(owner, client.id))) {
    await clients.remove(client.id)
    return 0
  }
  await ensurePermissions(clients, client.id, permissions)
  return 1
}
