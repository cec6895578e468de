import app from '@adonisjs/core/services/app'

import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { corePool } from '#core/database'
import type { Sweep } from '#jobs/sweep'
import { inTransaction } from '#records/transaction'
import { requestCheck } from './runs.js'

const EVERY_MS = 10 * 60_000
const BATCH_SIZE = 100

const DUE = `select r.analysis_id as id from analysis_runs r join analyses a on a.id = r.analysis_id
  where r.process = 'distribution' and a.distribution_status = 'executed'
    and a.execution_status is distinct from 'executed'
    and greatest(r.reported_at, r.check_requested_at) < now() - interval '1 day'`

/**
 * Requests a daily check of every distribution until its execution is finished: images disappear when registries are
 * restored from backups or cleaned up by hand. Returns the number of requested checks.
 */
export function distributionProofSweep(): Sweep {
  return {
    name: 'distribution-proof',
    schedule: { everyMs: EVERY_MS },
    async run(signal) {
      const { rows } = await corePool().query<{ id: string }>(
        `${DUE} order by r.reported_at limit ${BATCH_SIZE}`
      )
      let checked = 0
      for (const { id } of signal.aborted ? [] : rows) {
        checked += await checkOne(id)
      }
      return checked
    },
  }
}

async function checkOne(id: string): Promise<number> {
  const upkeep = await app.container.make(AnalysisUpkeep)
  return inTransaction(corePool(), async (transaction) => {
    await upkeep.lock(transaction, id)
    const { rowCount } = await transaction.query(`${DUE} and r.analysis_id = $1`, [id])
    if (rowCount === 0) {
      return 0
    }
    await requestCheck(transaction, id, 'distribution')
    return 1
  })
}
