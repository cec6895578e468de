import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { clientSweep } from './client_sweep.js'
import { corePool } from '#core/database'
import type { ClientProvider } from './client_directory.js'
import { ClientIntents } from './client_intents.js'
import { NODE_CLIENT_PERMISSIONS, type TargetPermissions } from '#auth/client_permissions'
import type { ReconcilingProvider } from './reconcile_clients.js'
import { intentSweep } from './reconcile_intents.js'
import type { Sweep } from '#jobs/sweep'

import { NodeService } from '#core/nodes/node_service'

/** Removes clients whose node or analysis was never written. */
export function coreIntentSweep(provider: ClientProvider): Sweep {
  return intentSweep({ provider, intents: new ClientIntents(corePool()), hasRecord })
}

/** Replaces missing clients of nodes, and grants each the permission it should have. */
export function nodeClientSweep(
  provider: ReconcilingProvider,
  logger: Pick<Logger, 'warn'>
): Sweep {
  const permissions: TargetPermissions = { names: NODE_CLIENT_PERMISSIONS, exclusive: true }
  return clientSweep(
    'node-clients',
    { table: 'nodes', service: () => app.container.make(NodeService), permissions },
    { provider, logger }
  )
}

async function hasRecord(id: string): Promise<boolean> {
  const { rowCount } = await corePool().query(
    'select 1 from nodes where id = $1 union all select 1 from analyses where id = $1',
    [id]
  )
  return rowCount! > 0
}
