import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { Analysis } from './analysis.js'
import { AnalysisService } from './analysis_service.js'
import { clientSweep } from '#core/clients/client_sweep'
import type { ReconcilingProvider } from '#core/clients/reconcile_clients'
import type { Sweep } from '#jobs/sweep'
import { inPages } from '#records/in_pages'

/**
 * Replaces missing clients of analyses. Only new clients get the initial permissions, so that revoked permissions stay
 * revoked.
 */
export function analysisClientSweep(
  provider: ReconcilingProvider,
  logger: Pick<Logger, 'warn'>
): Sweep {
  const owners = {
    records: () => inPages(Analysis.query()),
    service: () => app.container.make(AnalysisService),
    permissions: { names: [] },
  } satisfies Parameters<typeof clientSweep>[1]
  return clientSweep('analysis-clients', owners, { provider, logger })
}
