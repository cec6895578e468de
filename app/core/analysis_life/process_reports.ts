import type pg from 'pg'

import type { Analysis } from '#core/analyses/analysis'
import type { AnalysisService } from '#core/analyses/analysis_service'
import type { AnalysisNodeService, Artifact } from '#core/analysis_nodes/analysis_node_service'
import type { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import type { ProcessStatus } from '#core/analyses/process_status'
import type { Origin } from '#kernel/origin'
import type { Writable } from '#records/record_store'
import type { Row } from '#records/row'
import {
  isTimely,
  PROCESSES,
  REPORTS,
  RUNNING,
  type ProcessName,
  type Report,
} from './processes.js'
import { noteHeard, runOf } from './runs.js'

/** What a worker says of an analysis. */
export interface Told {
  readonly id: string
  readonly percent: number
  readonly status: ProcessStatus | null
  readonly hash: string | null
  readonly os: string | null
  readonly size: number | null
  readonly problem: string | null
  /** What nodes have of it, as far as it is told. */
  readonly artifacts: readonly Artifact[]
}

export interface WorkerReport {
  readonly process: ProcessName
  readonly report: Report
  /** The run it is about, where the worker repeats what the command said. */
  readonly run: string | undefined
  readonly told: Told
}

type Held = Row<typeof Analysis>
type Values = Writable<typeof Analysis>

const DONE = 100
/** A worker tells these again and again. */
const SIGNS_OF_LIFE: ReadonlySet<Report> = new Set(['executionStarted', 'executionProgress'])

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

  async follow(transaction: pg.ClientBase, origin: Origin, said: WorkerReport): Promise<void> {
    const { process, report, told } = said
    const held = await this.#upkeep.lock(transaction, told.id)
    if (!held || !(await this.#isAboutNow(transaction, held, said))) {
      return
    }
    const values = valuesAfter(said, held)
    await noteHeard(transaction, held.id, process, problemOf(said))
    const written = await this.#analyses.write(transaction, origin, held, values)
    if (process === 'distribution') {
      await this.#nodes.noteArtifacts(transaction, origin, held.id, told.artifacts)
    }
    if (SIGNS_OF_LIFE.has(report) && written.values === held) {
      await showAlive(transaction, held.id)
    }
  }

  async #isAboutNow(
    transaction: pg.ClientBase,
    held: Held,
    { process, report, run, told }: WorkerReport
  ): Promise<boolean> {
    const status = statusOf(held, process)
    if (status === null || !isTimely(report, status)) {
      return false
    }
    const known = await runOf(transaction, held.id, process)
    const isNamed = run !== undefined && run === known?.id
    if (run !== undefined && !isNamed && known !== undefined && known.id !== '') {
      return false
    }
    if (status === 'failed' && report !== 'checkFinished') {
      return isNamed && (report === 'executionFinished' || known.isGivenUp)
    }
    return report !== 'checkFinished' || isVerdict(told.status, status)
  }
}

/** A check that was overtaken by the end of the run says that it still runs. */
function isVerdict(found: ProcessStatus | null, status: ProcessStatus): boolean {
  return found !== null && (RUNNING.includes(status) || !RUNNING.includes(found))
}

function valuesAfter({ process, report, told }: WorkerReport, held: Held): Values {
  const { status, progress } = PROCESSES[process]
  const so = (next: ProcessStatus, percent?: number): Values => ({
    [status]: next,
    ...(percent !== undefined && { [progress]: percent }),
  })
  switch (report) {
    case 'executionStarted':
      return so(REPORTS[report].to, held[progress] ?? 0)
    case 'executionProgress':
      return {
        ...(held[status] === 'failed' && so('started')),
        [progress]: Math.max(held[progress] ?? 0, Math.min(told.percent, DONE)),
      }
    case 'executionFinished':
      return { ...so(REPORTS[report].to, DONE), ...imageOf(process, told) }
    case 'executionFailed':
      return so(REPORTS[report].to)
    case 'checkFinished':
      return verdictOf(process, told, so)
  }
}

function verdictOf(
  process: ProcessName,
  told: Told,
  so: (next: ProcessStatus, percent?: number) => Values
): Values {
  const found = told.status!
  if (found === 'executed') {
    return { ...so(found, DONE), ...given(imageOf(process, told)) }
  }
  return found === 'failed' ? { ...so(found, 0), ...imageOf(process, told) } : so(found)
}

function imageOf(process: ProcessName, { hash, os, size }: Told): Values {
  return process === 'build' ? { buildHash: hash, buildOs: os, buildSize: size } : {}
}

/** What an image is known by stays where a check says nothing else. */
function given(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

function problemOf({ process, report, told }: WorkerReport): string | null {
  if (report === 'checkFinished' && told.status === 'failed') {
    return told.problem ?? NOT_FOUND[process]
  }
  return report === 'executionFailed' ? (told.problem ?? 'The worker gave no reason') : null
}

/** What a check has found that says no more than that it failed. */
const NOT_FOUND: Record<ProcessName, string> = {
  build: 'A check did not find the image of the analysis where it should be: build it again',
  distribution:
    'A check did not find the image at every node where it should be: distribute it again',
}

function statusOf(held: Held, process: ProcessName): ProcessStatus | null {
  return held[PROCESSES[process].status] as ProcessStatus | null
}

/** Workers take an analysis that was not touched for a while for one that nobody works on. */
async function showAlive(transaction: pg.ClientBase, id: string): Promise<void> {
  await transaction.query('update analyses set updated_at = now() where id = $1', [id])
}
