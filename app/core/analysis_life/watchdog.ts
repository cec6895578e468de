import app from '@adonisjs/core/services/app'

import { AnalysisService } from '#core/analyses/analysis_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { corePool } from '#core/database'
import type { Sweep } from '#jobs/sweep'
import { serviceOrigin } from '#auth/service_origin'
import type { Origin } from '#kernel/origin'
import { inTransaction } from '#records/transaction'
import { coreSettings } from '#core/core_settings'
import { PROCESSES, RUNNING, type ProcessName } from './processes.js'
import { requestCheck, markUnresponsive } from './runs.js'
import { isWaiting, statusOfRun } from './waiting_runs.js'

const EVERY_MS = 15_000
const BATCH_SIZE = 100

interface SilentRun {
  readonly analysisId: string
  readonly process: ProcessName
  /** Whether a check was requested since, without an answer. */
  readonly isCheckPending: boolean
}

/** After a requested check, a worker has the same time again to answer. Runs that wait in the queue are excluded. */
const SILENT_RUNS = `select r.analysis_id as "analysisId", r.process, r.check_requested_at is not null as "isCheckPending"
  from analysis_runs r join analyses a on a.id = r.analysis_id
  where r.reported_at < now() - make_interval(secs => $1)
    and (r.check_requested_at is null or r.check_requested_at < now() - make_interval(secs => $1))
    and ${statusOfRun('r', 'a')} = any($2)
    and not ${isWaiting({ running: '$2', silenceSeconds: '$1' })}`

const DUE_RUNS = `${SILENT_RUNS} order by r.reported_at limit ${BATCH_SIZE}`
const STILL_SILENT_RUN = `${SILENT_RUNS} and r.analysis_id = $3 and r.process = $4`

/**
 * Requests a check of builds and distributions without recent reports, and marks them failed if no worker answers.
 * Returns the number of failed processes.
 */
export function silentWorkerSweep(silenceSeconds = coreSettings().workerSilenceSeconds): Sweep {
  return {
    name: 'unresponsive-workers',
    schedule: { everyMs: EVERY_MS },
    async run(signal) {
      const { rows } = await corePool().query<SilentRun>(DUE_RUNS, [silenceSeconds, RUNNING])
      const origin = rows.length > 0 && (await serviceOrigin())
      let failed = 0
      for (const run of rows) {
        if (signal.aborted || !origin) {
          break
        }
        failed += await checkOrFail(origin, run, silenceSeconds)
      }
      return failed
    },
  }
}

async function checkOrFail(
  origin: Origin,
  { analysisId, process }: SilentRun,
  silenceSeconds: number
): Promise<number> {
  const upkeep = await app.container.make(AnalysisUpkeep)
  const analyses = await app.container.make(AnalysisService)
  const { status } = PROCESSES[process]
  return inTransaction(corePool(), async (transaction) => {
    const analysis = await upkeep.lock(transaction, analysisId)
    const { rows } = await transaction.query<SilentRun>(STILL_SILENT_RUN, [
      silenceSeconds,
      RUNNING,
      analysisId,
      process,
    ])
    if (!analysis || !rows[0]) {
      return 0
    }
    if (!rows[0].isCheckPending) {
      await requestCheck(transaction, analysisId, process)
      return 0
    }
    const problem = `No worker has reported for ${2 * silenceSeconds} seconds, not even after a check: see that a worker runs, then start again`
    await markUnresponsive(transaction, analysisId, process, problem)
    await analyses.write(transaction, origin, analysis, { [status]: 'failed' })
    return 1
  })
}
