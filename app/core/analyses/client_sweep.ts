import type { Logger } from '@adonisjs/core/logger'

import { analyses } from '#core/analyses/services'
import { clientSweep } from '#core/clients/client_sweep'
import { clientTasks } from '#core/clients/identity'
import { ANALYSIS_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import type { ReconcilingProvider } from '#core/clients/reconcile_clients'
import type { Sweep } from '#jobs/sweep'

/**
 * Gives analyses a client again whose client is gone. Who takes a permission from an analysis means it: only a new client
 * gets those of the start.
 */
export function analysisClientSweep(
  provider: ReconcilingProvider,
  logger: Pick<Logger, 'warn'>
): Sweep {
  const owners = {
    table: 'analyses',
    service: analyses,
    permissions: { names: [] },
    assigned: (transaction, clientId) =>
      clientTasks().grantLater(transaction, clientId, { names: ANALYSIS_CLIENT_PERMISSIONS }),
  } satisfies Parameters<typeof clientSweep>[1]
  return clientSweep('analysis-clients', owners, { provider, logger })
}
