import { IdentityUnavailable } from '#kernel/failures'
import type { ClientDirectory, IdentityProvider } from '#auth/provider'

import { clientsOf } from './client_directory.js'
import { ensurePermissions, type WantedPermissions } from '#auth/client_permissions'
import { requireFew } from '#auth/few_at_once'
import type { PassedOver } from './passed_over.js'
import { clientFor, type Owner } from '#auth/record_clients'

/** After so many records in a row the provider itself is the reason, and no record. */
const FAILURES_IN_A_ROW = 3

export interface OwnerOfClient extends Owner {
  readonly clientId: string | null
}

export type ReconcilingProvider = Pick<
  IdentityProvider,
  'clients' | 'people' | 'known' | 'introspect' | 'ownToken'
>

interface ClientReconciliation {
  provider: ReconcilingProvider
  /** The records that should have a client, in whatever pages they are read. */
  owners: () => AsyncIterable<OwnerOfClient>
  /** Stores a new client's id with its record; false where the record is gone. */
  assign: (owner: Owner, clientId: string) => Promise<boolean>
  permissions: WantedPermissions
  passedOver: PassedOver
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
  const { provider, owners, passedOver } = reconciliation
  const clients = await clientsOf(provider)
  const oneByOne = new OneByOne(passedOver, signal)
  const without: OwnerOfClient[] = []
  passedOver.begin()
  for await (const owner of owners()) {
    await oneByOne.do(owner, async () => {
      if (!(await hasClient(clients, owner, reconciliation))) {
        without.push(owner)
      }
    })
  }
  const lost = without.filter(({ clientId }) => clientId !== null)
  if (lost.length > 0) {
    await requireBelievable(provider, clients)
    requireFew(await countInRealms(provider, lost), 'clients')
  }
  let created = 0
  for (const owner of without) {
    await oneByOne.do(owner, async () => {
      created += await replace(clients, owner, reconciliation)
    })
  }
  passedOver.end()
  return created
}

/** Goes on where a record fails, and stops where the provider does. */
class OneByOne {
  readonly #passedOver: PassedOver
  readonly #signal: AbortSignal
  #failuresInARow = 0

  constructor(passedOver: PassedOver, signal: AbortSignal) {
    this.#passedOver = passedOver
    this.#signal = signal
  }

  async do({ id }: Owner, work: () => Promise<void>): Promise<void> {
    if (this.#signal.aborted) {
      return
    }
    try {
      await work()
      this.#failuresInARow = 0
    } catch (error) {
      const isAway = error instanceof IdentityUnavailable
      this.#failuresInARow = isAway ? this.#failuresInARow + 1 : 0
      if (this.#failuresInARow === FAILURES_IN_A_ROW) {
        throw error
      }
      this.#passedOver.add(id, error)
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
      await clients.display(existing.id, id)
    }
  }
  return existing !== undefined
}

/** A provider that does not even find the client of the platform is not believed about any other. */
async function requireBelievable(
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
  const known = new Map<string, boolean>()
  for (const { realmId } of lost) {
    if (!known.has(realmId)) {
      known.set(realmId, (await people?.hasRealm(realmId)) ?? true)
    }
  }
  return lost.filter(({ realmId }) => known.get(realmId)).length
}

async function replace(
  clients: ClientDirectory,
  owner: Owner,
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
