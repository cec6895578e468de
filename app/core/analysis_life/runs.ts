import type pg from 'pg'

import { newMessage } from '#bus/message'
import { commandRouting } from '#bus/names'
import type { DatabasePool } from '#database/database_pool'
import { newId } from '#kernel/new_id'
import type { Origin } from '#kernel/origin'
import { publishCommand } from '#outbox/publish'
import { digestOf } from '#core/analyses/approved_content'
import { currentTraceparent } from '#tracing/tracing'
import { PROCESSES, type ProcessName } from './processes.js'

/** A run of a process, with what the analysis itself does not show. */
export interface Run {
  /** Correlates reports with their run; empty for runs from before ids were introduced. */
  readonly id: string
  readonly problem: string | null
  /** Whether it failed only because its worker was unresponsive. */
  readonly wasUnresponsive: boolean
}

const START = {
  name: 'start-run',
  text: `insert into analysis_runs (analysis_id, process, run, traceparent)
    values ($1, $2, $3, $4)
    on conflict (analysis_id, process) do update
    set run = excluded.run, started_at = now(), reported_at = now(), check_requested_at = null,
      unresponsive_at = null, problem = null, traceparent = excluded.traceparent`,
}

/** Sends the command to start a process once the transaction commits. */
export async function startRun(
  transaction: pg.ClientBase,
  { requestId }: Pick<Origin, 'requestId'>,
  analysisId: string,
  process: ProcessName
): Promise<void> {
  const run = newId()
  const values = [analysisId, process, run, currentTraceparent() ?? null]
  await transaction.query({ ...START, values })
  await send(transaction, 'execute', { analysisId, process, run, requestId })
}

/** Sends the command to check a process once the transaction commits. The origin is that of a request, if one asks for it. */
export async function requestCheck(
  transaction: pg.ClientBase,
  analysisId: string,
  process: ProcessName,
  origin?: Pick<Origin, 'requestId'>
): Promise<void> {
  const { rows } = await transaction.query<{ run: string }>(
    `update analysis_runs set check_requested_at = now() where analysis_id = $1 and process = $2
     returning run`,
    [analysisId, process]
  )
  const run = rows[0]?.run
  await send(transaction, 'check', { analysisId, process, run, requestId: origin?.requestId })
}

/** The current run of a process. The caller has locked the analysis. */
export async function findRun(
  transaction: pg.ClientBase,
  analysisId: string,
  process: ProcessName
): Promise<Run | undefined> {
  const { rows } = await transaction.query<Run>(
    `select run as id, problem, unresponsive_at is not null as "wasUnresponsive"
     from analysis_runs where analysis_id = $1 and process = $2`,
    [analysisId, process]
  )
  return rows[0]
}

/** Why processes failed that were not restarted since. */
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

/** Records that a worker reported, and its problem, if any. */
export async function recordReport(
  transaction: pg.ClientBase,
  analysisId: string,
  process: ProcessName,
  problem: string | null = null
): Promise<void> {
  await transaction.query({
    name: 'record-report',
    text: `update analysis_runs
      set reported_at = now(), check_requested_at = null, unresponsive_at = null, problem = $3
      where analysis_id = $1 and process = $2`,
    values: [analysisId, process, problem],
  })
}

/** Records that a run failed because its worker was unresponsive. */
export async function markUnresponsive(
  transaction: pg.ClientBase,
  analysisId: string,
  process: ProcessName,
  problem: string
): Promise<void> {
  await transaction.query(
    `update analysis_runs set unresponsive_at = now(), check_requested_at = null, problem = $3
     where analysis_id = $1 and process = $2`,
    [analysisId, process, problem]
  )
}

/** Deletes the runs of these processes. */
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
  readonly requestId: string | undefined
}

/**
 * Workers repeat the metadata of a command in their reports. Our worker labels the image with the content digest, and its
 * log lines with the id of the request.
 */
async function send(
  transaction: pg.ClientBase,
  type: 'execute' | 'check',
  { analysisId, process, run, requestId }: RunCommand
): Promise<void> {
  const routing = commandRouting(PROCESSES[process].queue)
  const metadata = {
    ...(run && { run }),
    ...(requestId && { requestId }),
    content: await digestOf(transaction, analysisId),
  }
  const message = newMessage(routing, type, { id: analysisId }, metadata)
  await publishCommand(transaction, message, `analysis/${analysisId}`)
}
