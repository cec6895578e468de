import { inject } from '@adonisjs/core'
import type pg from 'pg'

import type { Analysis } from '#core/analyses/analysis'
import { AnalysisService } from '#core/analyses/analysis_service'
import { AnalysisNodeService, type NodeArtifact } from '#core/analysis_nodes/analysis_node_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import type { ProcessStatus } from '#core/analyses/process_status'
import type { Origin } from '#kernel/origin'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'
import {
  isTimely,
  PROCESSES,
  REPORTS,
  RUNNING,
  type ProcessName,
  type ReportName,
} from './processes.js'
import { recordReport, findRun } from './runs.js'

/** The content of a report about an analysis. */
interface ReportDetails {
  readonly id: string
  readonly percent: number
  readonly status: ProcessStatus | null
  readonly hash: string | null
  readonly os: string | null
  readonly size: number | null
  readonly problem: string | null
  /** The images at nodes, as far as they are reported. */
  readonly artifacts: readonly NodeArtifact[]
}

export interface WorkerReport {
  readonly process: ProcessName
  readonly report: ReportName
  /** The id of the run, which workers repeat from the metadata of the command. */
  readonly run: string | undefined
  readonly details: ReportDetails
}

type AnalysisRow = Row<typeof Analysis>
type Values = RowValues<typeof Analysis>

const DONE = 100
/** Reports that workers repeat. */
const SIGNS_OF_LIFE: ReadonlySet<ReportName> = new Set(['executionStarted', 'executionProgress'])

/**
 * Applies the reports of workers about builds and distributions. Late and repeated reports, and reports that do not name
 * the current run, change nothing. Runs from before they had ids have none to name.
 */
@inject()
export class ProcessReports {
  readonly #analyses: AnalysisService
  readonly #upkeep: AnalysisUpkeep
  readonly #nodes: AnalysisNodeService

  constructor(analyses: AnalysisService, upkeep: AnalysisUpkeep, nodes: AnalysisNodeService) {
    this.#analyses = analyses
    this.#upkeep = upkeep
    this.#nodes = nodes
  }

  async apply(
    transaction: pg.ClientBase,
    origin: Origin,
    workerReport: WorkerReport
  ): Promise<void> {
    const { process, report, details } = workerReport
    const analysis = await this.#upkeep.lock(transaction, details.id)
    if (!analysis || !(await this.#isCurrent(transaction, analysis, workerReport))) {
      return
    }
    const values = valuesAfter(workerReport, analysis)
    await recordReport(transaction, analysis.id, process, problemOf(workerReport))
    const written = await this.#analyses.write(transaction, origin, analysis, values)
    if (process === 'distribution') {
      await this.#nodes.recordArtifacts(transaction, origin, analysis.id, details.artifacts)
    }
    if (SIGNS_OF_LIFE.has(report) && written.values === analysis) {
      await touchAnalysis(transaction, analysis.id)
    }
  }

  async #isCurrent(
    transaction: pg.ClientBase,
    analysis: AnalysisRow,
    { process, report, run, details }: WorkerReport
  ): Promise<boolean> {
    const status = statusOf(analysis, process)
    if (status === null || !isTimely(report, status)) {
      return false
    }
    const current = await findRun(transaction, analysis.id, process)
    const isNamed = run !== undefined && run === current?.id
    if (current !== undefined && current.id !== '' && !isNamed) {
      return false
    }
    if (status === 'failed' && report !== 'checkFinished') {
      return isNamed && (report === 'executionFinished' || current.wasUnresponsive)
    }
    return report !== 'checkFinished' || isConclusive(details.status, status)
  }
}

/** A check that reports a running process is outdated if the run has ended meanwhile. */
function isConclusive(checkStatus: ProcessStatus | null, status: ProcessStatus): boolean {
  return checkStatus !== null && (RUNNING.includes(status) || !RUNNING.includes(checkStatus))
}

function valuesAfter({ process, report, details }: WorkerReport, analysis: AnalysisRow): Values {
  const { status, progress } = PROCESSES[process]
  const withStatus = (next: ProcessStatus, percent?: number): Values => ({
    [status]: next,
    ...(percent !== undefined && { [progress]: percent }),
  })
  switch (report) {
    case 'executionStarted':
      return withStatus(REPORTS[report].to, analysis[progress] ?? 0)
    case 'executionProgress':
      return {
        ...(analysis[status] === 'failed' && withStatus('started')),
        [progress]: Math.max(analysis[progress] ?? 0, Math.min(details.percent, DONE)),
      }
    case 'executionFinished':
      return { ...withStatus(REPORTS[report].to, DONE), ...imageValues(process, details) }
    case 'executionFailed':
      return withStatus(REPORTS[report].to)
    case 'checkFinished':
      return valuesAfterCheck(process, details, withStatus)
  }
}

function valuesAfterCheck(
  process: ProcessName,
  details: ReportDetails,
  withStatus: (next: ProcessStatus, percent?: number) => Values
): Values {
  const checkStatus = details.status!
  if (checkStatus === 'executed') {
    return { ...withStatus(checkStatus, DONE), ...withoutNulls(imageValues(process, details)) }
  }
  return checkStatus === 'failed'
    ? { ...withStatus(checkStatus, 0), ...imageValues(process, details) }
    : withStatus(checkStatus)
}

function imageValues(process: ProcessName, { hash, os, size }: ReportDetails): Values {
  return process === 'build' ? { buildHash: hash, buildOs: os, buildSize: size } : {}
}

/** Keeps the columns that a check does not report. */
function withoutNulls(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

function problemOf({ process, report, details }: WorkerReport): string | null {
  if (report === 'checkFinished' && details.status === 'failed') {
    return details.problem ?? DEFAULT_PROBLEMS[process]
  }
  return report === 'executionFailed' ? (details.problem ?? 'The worker reported no reason') : null
}

/** The problem of a failed check that reports none. */
const DEFAULT_PROBLEMS: Record<ProcessName, string> = {
  build: 'The registry has no image of the analysis: build it again',
  distribution: 'The image is missing at a node: distribute it again',
}

function statusOf(analysis: AnalysisRow, process: ProcessName): ProcessStatus | null {
  return analysis[PROCESSES[process].status] as ProcessStatus | null
}

/** Workers treat an analysis with an old `updatedAt` as abandoned. */
async function touchAnalysis(transaction: pg.ClientBase, id: string): Promise<void> {
  await transaction.query('update analyses set updated_at = now() where id = $1', [id])
}
