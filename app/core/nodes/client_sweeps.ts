import type { Logger } from '@adonisjs/core/logger'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { IdentityUnavailable } from '#http/failures'
import { ClientIntents } from '#identity/lifecycle/client_intents'
import { NODE_CLIENT_PERMISSIONS } from '#identity/lifecycle/client_permissions'
import { reconcileClients, type OwnerOfClient } from '#identity/lifecycle/reconcile_clients'
import { intentSweep } from '#identity/lifecycle/reconcile_intents'
import type { IdentityProvider } from '#identity/provider'
import type { Sweep } from '#jobs/sweep'
import { inTransaction } from '#records/transaction'

import { serviceOrigin } from './service_origin.js'
import { nodes } from './services.js'

const EVERY_MS = 60 * 60_000
const PAGE = 100

type Provider = Pick<IdentityProvider, 'clients'>

const pool = () => pools.for(databaseUrl('core'))

/** Removes the clients of nodes and analyses that were never written. */
export function coreIntentSweep(provider: Provider): Sweep {
  return intentSweep({ provider, intents: new ClientIntents(pool()), hasRecord })
}

/** Gives nodes a client again whose client is gone, and each the permission it should have. */
export function nodeClientSweep(provider: Provider, logger: Pick<Logger, 'warn'>): Sweep {
  return {
    name: 'node-clients',
    schedule: { everyMs: EVERY_MS },
    async run(signal) {
      let created = 0
      for await (const node of nodesInPages()) {
        if (signal.aborted) {
          break
        }
        created += await reconcile(node, { provider, logger, signal })
      }
      return created
    },
  }
}

interface Reconciliation {
  readonly provider: Provider
  readonly logger: Pick<Logger, 'warn'>
  readonly signal: AbortSignal
}

/** One node that cannot have a client, because its realm is going, does not keep the others from theirs. */
async function reconcile(
  node: OwnerOfClient,
  { provider, logger, signal }: Reconciliation
): Promise<number> {
  const permissions = { names: NODE_CLIENT_PERMISSIONS, nothingElse: true }
  const owners = async function* () {
    yield node
  }
  try {
    return await reconcileClients({ provider, owners, assign, permissions }, signal)
  } catch (error) {
    if (error instanceof IdentityUnavailable) {
      throw error
    }
    logger.warn({ err: error, node: node.id }, 'a node is without its client for now')
    return 0
  }
}

async function hasRecord(id: string): Promise<boolean> {
  const { rowCount } = await pool().query(
    'select 1 from nodes where id = $1 union all select 1 from analyses where id = $1',
    [id]
  )
  return rowCount! > 0
}

async function* nodesInPages(): AsyncIterable<OwnerOfClient> {
  let last = '00000000-0000-0000-0000-000000000000'
  let size = PAGE
  while (size === PAGE) {
    const { rows } = await pool().query<OwnerOfClient>(
      `select id, realm_id as "realmId", client_id as "clientId" from nodes
       where id > $1 order by id limit ${PAGE}`,
      [last]
    )
    yield* rows
    size = rows.length
    last = rows.at(-1)?.id ?? last
  }
}

/** The node may have been deleted since it was read; then its new client goes again. */
async function assign({ id }: { id: string }, clientId: string): Promise<boolean> {
  const origin = await serviceOrigin()
  return inTransaction(pool(), async (transaction) => {
    const { rowCount } = await transaction.query('select 1 from nodes where id = $1 for update', [
      id,
    ])
    if (rowCount === 1) {
      await nodes().updateWithin(transaction, origin, id, { clientId })
    }
    return rowCount === 1
  })
}
