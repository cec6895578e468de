import type { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'

import { Bus } from '#bus/bus'
import type { RunningJob } from '#jobs/running_job'
import { telemetrySettings } from '#telemetry/telemetry_settings'
import { LineOwners } from './line_owners.js'
import { consumeLogLines } from './log_ingest.js'
import { LogStore } from './log_store.js'

/**
 * Consumes log lines from the bus. A memory store has to consume in the process that serves telemetry; otherwise
 * any process with the bus job may.
 */
export async function startLogIngest(logger: Logger): Promise<RunningJob> {
  if (!telemetrySettings().ingestsLogs) {
    return { stop: async () => {} }
  }
  const store = await app.container.make(LogStore)
  const owners = await app.container.make(LineOwners)
  return consumeLogLines({ bus: await app.container.make(Bus), store, owners, logger })
}
