import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { AnalysisService } from './analysis_service.js'
import { clientSweep } from '#core/clients/client_sweep'
import type { ReconcilingProvider } from '#core/clients/reconcile_clients'
import type { Sweep } from '#jobs/sweep'

/**
 * Replaces missing clients of analyses. Only new clients get the initial permissions, so that revoked permissions stay
 * revoked.
 */
export function analysisClientSweep(
  provider: ReconcilingProvider,
  logger: Pick<Logger, 'warn'>
): Sweep {
  const owners = {
    table: 'analyses',
    service: () => app.container.make(AnalysisService),
    permissions: { names: [] },
  } satisfies Parameters<typeof clientSweep>[1]
  return clientSweep('analysis-clients', owners, { provider, logger })
}
