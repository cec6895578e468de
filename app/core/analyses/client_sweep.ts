import { analyses } from '#core/analyses/services'
import { clientTasks } from '#core/nodes/identity'
import { serviceOrigin } from '#core/nodes/service_origin'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { ANALYSIS_CLIENT_PERMISSIONS } from '#identity/lifecycle/client_permissions'
import { reconcileClients, type OwnerOfClient } from '#identity/lifecycle/reconcile_clients'
import type { IdentityProvider } from '#identity/provider'
import type { Sweep } from '#jobs/sweep'
import { inTransaction } from '#records/transaction'

const EVERY_MS = 60 * 60_000
const PAGE = 100

/** Who takes a permission from an analysis means it: only a new client gets those of the start. */
const NONE = { names: [] }

const pool = () => pools.for(databaseUrl('core'))

/** Gives analyses a client again whose client is gone. */
export function analysisClientSweep(provider: Pick<IdentityProvider, 'clients'>): Sweep {
  return {
    name: 'analysis-clients',
    schedule: { everyMs: EVERY_MS },
    run: (signal) =>
      reconcileClients({ provider, owners: inPages, assign, permissions: NONE }, signal),
  }
}

async function* inPages(): AsyncIterable<OwnerOfClient> {
  let last = '00000000-0000-0000-0000-000000000000'
  let size = PAGE
  while (size === PAGE) {
    const { rows } = await pool().query<OwnerOfClient>(
      `select id, realm_id as "realmId", client_id as "clientId" from analyses
       where id > $1 order by id limit ${PAGE}`,
      [last]
    )
    yield* rows
    size = rows.length
    last = rows.at(-1)?.id ?? last
  }
}

/** The analysis may have been deleted since it was read; then its new client goes again. */
async function assign({ id }: { id: string }, clientId: string): Promise<boolean> {
  const origin = await serviceOrigin()
  return inTransaction(pool(), async (transaction) => {
    const { rowCount } = await transaction.query(
      'select 1 from analyses where id = $1 for update',
      [id]
    )
    if (rowCount === 1) {
      await analyses().updateWithin(transaction, origin, id, { clientId })
      await clientTasks().grantLater(transaction, clientId, { names: ANALYSIS_CLIENT_PERMISSIONS })
    }
    return rowCount === 1
  })
}
