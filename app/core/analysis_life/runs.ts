import type pg from 'pg'

import { newMessage } from '#bus/message'
import { commandRouting } from '#bus/names'
import type { DatabasePool } from '#database/database_pool'
import { newId } from '#kernel/new_id'
import { publishCommand } from '#outbox/publish'
import { digestOf } from '#core/analyses/approved_content'
import { PROCESSES, type ProcessName } from './processes.js'

/** What is known of a process beside what the analysis shows: which run it is, and when a worker was last heard. */
export interface Run {
  /** Ties what workers tell to the run it is about; empty for one that was begun before runs had ids. */
  readonly id: string
  readonly problem: string | null
  /** It failed because no worker was heard, and for no other reason. */
  readonly isGivenUp: boolean
}

const START = {
  name: 'begin-run',
  text: `insert into analysis_runs (analysis_id, process, run) values ($1, $2, $3)
    on conflict (analysis_id, process) do update
    set run = excluded.run, begun_at = now(), heard_at = now(), check_asked_at = null,
      given_up_at = null, problem = null`,
}

/** Has a worker begin with a process, once the transaction is kept. */
export async function startRun(
  transaction: pg.ClientBase,
  analysisId: string,
  process: ProcessName
): Promise<void> {
  const run = newId()
  await transaction.query({ ...START, values: [analysisId, process, run] })
  await send(transaction, 'execute', { analysisId, process, run })
}

/** Has a worker look how far a process is, once the transaction is kept. */
export async function requestCheck(
  transaction: pg.ClientBase,
  analysisId: string,
  process: ProcessName
): Promise<void> {
  const { rows } = await transaction.query<{ run: string }>(
    `update analysis_runs set check_asked_at = now() where analysis_id = $1 and process = $2
     returning run`,
    [analysisId, process]
  )
  await send(transaction, 'check', { analysisId, process, run: rows[0]?.run })
}

/** The run of a process, whose analysis the caller holds. */
export async function findRun(
  transaction: pg.ClientBase,
  analysisId: string,
  process: ProcessName
): Promise<Run | undefined> {
  const { rows } = await transaction.query<Run>(
    `select run as id, problem, given_up_at is not null as "isGivenUp"
     from analysis_runs where analysis_id = $1 and process = $2`,
    [analysisId, process]
  )
  return rows[0]
}

/** Why processes failed that were not begun anew since. */
export type Problems = Partial<Record<ProcessName, string>>

export async function findProblems(pool: DatabasePool, analysisId: string): Promise<Problems> {
  const { rows } = await pool.query<{ process: ProcessName; problem: string }>({
    name: 'problems-of-runs',
    text: `select process, problem from analysis_runs
      where analysis_id = $1 and problem is not null`,
    values: [analysisId],
  })
  return Object.fromEntries(rows.map(({ process, problem }) => [process, problem]))
}

/** Notes that a worker was heard, and what went wrong, if anything did. */
export async function recordReport(
  transaction: pg.ClientBase,
  analysisId: string,
  process: ProcessName,
  problem: string | null = null
): Promise<void> {
  await transaction.query({
    name: 'note-heard',
    text: `update analysis_runs
      set heard_at = now(), check_asked_at = null, given_up_at = null, problem = $3
      where analysis_id = $1 and process = $2`,
    values: [analysisId, process, problem],
  })
}

/** Notes that a run has failed because no worker was heard. */
export async function markUnresponsive(
  transaction: pg.ClientBase,
  analysisId: string,
  process: ProcessName,
  problem: string
): Promise<void> {
  await transaction.query(
    `update analysis_runs set given_up_at = now(), check_asked_at = null, problem = $3
     where analysis_id = $1 and process = $2`,
    [analysisId, process, problem]
  )
}

/** Nothing is left of what was begun before. */
export async function deleteRuns(
  transaction: pg.ClientBase,
  analysisId: string,
  processes: readonly ProcessName[]
): Promise<void> {
  await transaction.query(
    'delete from analysis_runs where analysis_id = $1 and process = any($2)',
    [analysisId, processes]
  )
}

interface RunCommand {
  readonly analysisId: string
  readonly process: ProcessName
  readonly run: string | undefined
}

/** Workers repeat the metadata of a command in all that they tell of it, and ours says on the image what it is of. */
async function send(
  transaction: pg.ClientBase,
  type: 'execute' | 'check',
  { analysisId, process, run }: RunCommand
): Promise<void> {
  const routing = commandRouting(PROCESSES[process].queue)
  const metadata = { ...(run && { run }), content: await digestOf(transaction, analysisId) }
  const message = newMessage(routing, type, { id: analysisId }, metadata)
  await publishCommand(transaction, message, `analysis/${analysisId}`)
}
