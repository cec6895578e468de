import type pg from 'pg'

import type { Analysis } from '#core/analyses/analysis'
import type { AnalysisService } from '#core/analyses/analysis_service'
import type { AnalysisNodeService, NodeArtifact } from '#core/analysis_nodes/analysis_node_service'
import type { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
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

/** What a worker says of an analysis. */
export interface ReportDetails {
  readonly id: string
  readonly percent: number
  readonly status: ProcessStatus | null
  readonly hash: string | null
  readonly os: string | null
  readonly size: number | null
  readonly problem: string | null
  /** What nodes have of it, as far as it is told. */
  readonly artifacts: readonly NodeArtifact[]
}

export interface WorkerReport {
  readonly process: ProcessName
  readonly report: ReportName
  /** The run it is about, where the worker repeats what the command said. */
  readonly run: string | undefined
  readonly details: ReportDetails
}

type AnalysisRow = Row<typeof Analysis>
type Values = RowValues<typeof Analysis>

const DONE = 100
/** A worker tells these again and again. */
const SIGNS_OF_LIFE: ReadonlySet<ReportName> = new Set(['executionStarted', 'executionProgress'])

/**
 * Follows what workers tell of builds and distributions. What is late, told again, or about a former run, changes nothing.
 */
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
    const { process, report, details: told } = workerReport
    const analysis = await this.#upkeep.lock(transaction, told.id)
    if (!analysis || !(await this.#isCurrent(transaction, analysis, workerReport))) {
      return
    }
    const values = valuesAfter(workerReport, analysis)
    await recordReport(transaction, analysis.id, process, problemOf(workerReport))
    const written = await this.#analyses.write(transaction, origin, analysis, values)
    if (process === 'distribution') {
      await this.#nodes.recordArtifacts(transaction, origin, analysis.id, told.artifacts)
    }
    if (SIGNS_OF_LIFE.has(report) && written.values === analysis) {
      await touchAnalysis(transaction, analysis.id)
    }
  }

  async #isCurrent(
    transaction: pg.ClientBase,
    analysis: AnalysisRow,
    { process, report, run, details: told }: WorkerReport
  ): Promise<boolean> {
    const status = statusOf(analysis, process)
    if (status === null || !isTimely(report, status)) {
      return false
    }
    const known = await findRun(transaction, analysis.id, process)
    const isNamed = run !== undefined && run === known?.id
    if (run !== undefined && !isNamed && known !== undefined && known.id !== '') {
      return false
    }
    if (status === 'failed' && report !== 'checkFinished') {
      return isNamed && (report === 'executionFinished' || known.isGivenUp)
    }
    return report !== 'checkFinished' || isConclusive(told.status, status)
  }
}

/** A check that was overtaken by the end of the run says that it still runs. */
function isConclusive(checkStatus: ProcessStatus | null, status: ProcessStatus): boolean {
  return checkStatus !== null && (RUNNING.includes(status) || !RUNNING.includes(checkStatus))
}

function valuesAfter(
  { process, report, details: told }: WorkerReport,
  analysis: AnalysisRow
): Values {
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
        [progress]: Math.max(analysis[progress] ?? 0, Math.min(told.percent, DONE)),
      }
    case 'executionFinished':
      return { ...withStatus(REPORTS[report].to, DONE), ...imageValues(process, told) }
    case 'executionFailed':
      return withStatus(REPORTS[report].to)
    case 'checkFinished':
      return valuesAfterCheck(process, told, withStatus)
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

/** What an image is known by stays where a check says nothing else. */
function withoutNulls(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

function problemOf({ process, report, details: told }: WorkerReport): string | null {
  if (report === 'checkFinished' && told.status === 'failed') {
    return told.problem ?? DEFAULT_PROBLEMS[process]
  }
  return report === 'executionFailed' ? (told.problem ?? 'The worker gave no reason') : null
}

/** What a check has found that says no more than that it failed. */
const DEFAULT_PROBLEMS: Record<ProcessName, string> = {
  build: 'A check did not find the image of the analysis where it should be: build it again',
  distribution:
    'A check did not find the image at every node where it should be: distribute it again',
}

function statusOf(analysis: AnalysisRow, process: ProcessName): ProcessStatus | null {
  return analysis[PROCESSES[process].status] as ProcessStatus | null
}

/** Workers take an analysis that was not touched for a while for one that nobody works on. */
async function touchAnalysis(transaction: pg.ClientBase, id: string): Promise<void> {
  await transaction.query('update analyses set updated_at = now() where id = $1', [id])
}
