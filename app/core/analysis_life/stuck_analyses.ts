import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { analysis } from '#core/analyses/analysis'
import { coreSettings } from '#core/core_settings'
import { CorePool } from '#core/database'
import { enforce } from '#kernel/access'
import type { Origin } from '#kernel/origin'
import { isMasterMember } from '#kernel/realm'
import { timestampText } from '#query/sql/timestamp'
import { RUNNING } from './processes.js'
import { isWaiting, statusOfRun } from './waiting_runs.js'

/** A build or a distribution that failed or whose worker is silent. */
export interface StuckAnalysis {
  readonly analysisId: string
  readonly name: string
  readonly process: string
  readonly status: string
  /** When a worker last sent a report. */
  readonly since: string
  readonly problem: string | null
}

interface StuckOptions {
  /** A worker may be silent for this long. */
  readonly silenceSeconds: number
  /** Only those of this realm; those of all realms by default. */
  readonly realmId?: string
}

const LIMIT = 100

/** The condition of the index `analyses_unsettled`. */
const UNSETTLED = ['failed', ...RUNNING].map((status) => `'${status}'`).join(', ')

/** With the states of running processes, the seconds, and the realm or null. */
export const SELECT_STUCK = `
  select a.id as "analysisId", a.name, r.process, s.status, r.problem,
    ${timestampText('r.reported_at')} as since
  from analyses a join analysis_runs r on r.analysis_id = a.id
  cross join lateral (select ${statusOfRun('r', 'a')} as status) s
  where (a.build_status in (${UNSETTLED}) or a.distribution_status in (${UNSETTLED}))
    and (s.status = 'failed'
      or s.status = any($1) and r.reported_at < now() - make_interval(secs => $2)
        and not ${isWaiting({ running: '$1', silenceSeconds: '$2' })})
    and ($3::uuid is null or a.realm_id = $3)
  order by r.reported_at desc limit ${LIMIT}`

/** Finds processes that failed, and those without a report for longer than the allowed silence. */
export async function findStuckAnalyses(
  pool: pg.Pool,
  { silenceSeconds, realmId }: StuckOptions
): Promise<StuckAnalysis[]> {
  const values = [RUNNING, silenceSeconds, realmId ?? null]
  const { rows } = await pool.query<StuckAnalysis>(SELECT_STUCK, values)
  return rows
}

/** Reads which analyses are stuck. */
@inject()
export class StuckAnalyses {
  readonly #pool: CorePool
  readonly #silenceSeconds = coreSettings().workerSilenceSeconds

  constructor(pool: CorePool) {
    this.#pool = pool
  }

  /** Those of the caller's realm; of all realms for members of the master realm. */
  async list({ actor }: Origin): Promise<StuckAnalysis[]> {
    enforce(analysis.access.read, actor)
    const silenceSeconds = this.#silenceSeconds
    if (isMasterMember(actor)) {
      return findStuckAnalyses(this.#pool, { silenceSeconds })
    }
    const { realmId } = actor
    return realmId === null ? [] : findStuckAnalyses(this.#pool, { silenceSeconds, realmId })
  }
}
