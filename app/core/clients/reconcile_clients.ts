import { IdentityUnavailable } from '#kernel/failures'
import type { ClientDirectory, IdentityProvider } from '#auth/provider'

import { requireClients } from './client_directory.js'
import { ensurePermissions, type TargetPermissions } from '#auth/client_permissions'
import { enforceRemovalLimit } from '#auth/removal_limit'
import type { SkippedRecords } from './skipped_records.js'
import { clientFor, type ClientOwner } from '#auth/record_clients'

/** After so many records in a row the provider itself is the reason, and no record. */
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
  /** The records that should have a client, in whatever pages they are read. */
  owners: () => AsyncIterable<OwnerOfClient>
  /** Stores a new client's id with its record; false where the record is gone. */
  assign: (owner: ClientOwner, clientId: string) => Promise<boolean>
  permissions: TargetPermissions
  skipped: SkippedRecords
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

/** Goes on where a record fails, and stops where the provider does. */
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

/** Whether a record has a client that is there; that one has its permissions and a name to be shown then. */
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

/** A provider that does not even find the client of the platform is not believed about any other. */
async function requireTrustworthy(
  provider: ReconcilingProvider,
  clients: ClientDirectory
): Promise<void> {
  const own = await provider.introspect(await provider.ownToken())
  if (!own || !(await clients.read(own.sub))) {
    throw new IdentityUnavailable(
      'The identity provider does not show clients that exist, so none was taken for gone'
    )
  }
}

/** How many of them are of a realm that is there; no client can be made for the others. */
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
