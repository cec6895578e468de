import type pg from 'pg'

import { RUNNING } from '#core/analysis_life/processes'
import { isWaiting, statusOfRun } from '#core/analysis_life/waiting_runs'

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

const LIMIT = 100

const SELECT_STUCK = `
  select a.id as "analysisId", a.name, r.process, s.status, r.problem,
    to_char(r.heard_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since
  from analysis_runs r join analyses a on a.id = r.analysis_id
  cross join lateral (select ${statusOfRun('r', 'a')} as status) s
  where s.status = 'failed'
    or s.status = any($1) and r.heard_at < now() - make_interval(secs => $2)
      and not ${isWaiting({ running: '$1', silenceSeconds: '$2' })}
  order by r.heard_at desc limit ${LIMIT}`

/** Finds processes that failed, and those without a report for longer than the allowed silence. */
export async function findStuckAnalyses(
  pool: pg.Pool,
  silenceSeconds: number
): Promise<StuckAnalysis[]> {
  const { rows } = await pool.query<StuckAnalysis>(SELECT_STUCK, [RUNNING, silenceSeconds])
  return rows
}
