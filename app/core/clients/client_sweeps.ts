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
import { inPages } from '#records/in_pages'

import { Analysis } from '#core/analyses/analysis'
import { Node } from '#core/nodes/node'
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
    {
      records: () => inPages(Node.query()),
      service: () => app.container.make(NodeService),
      permissions,
    },
    { provider, logger }
  )
}

async function hasRecord(id: string): Promise<boolean> {
  return ((await Node.find(id)) ?? (await Analysis.find(id))) !== null
}
