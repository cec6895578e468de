import { inject } from '@adonisjs/core'

import { CorePool } from '#core/database'
import { readAnalysis } from '#core/analyses/read_analysis'
import { analysis as kind } from '#core/analyses/analysis'
import { AnalysisLogStore } from '#core/analysis_logs/analysis_log_store'
import { AnalysisLogService } from '#core/analysis_logs/analysis_log_service'
import { BuildSignatures } from '#core/build_images/build_signatures'
import { NO_WORKER, QueueConsumers } from '#core/command_warnings'
import { enforce } from '#kernel/access'
import type { Origin } from '#kernel/origin'
import { explainCondition, type Condition } from './conditions.js'
import { findNodeExecutions, type NodeExecution } from './node_executions.js'
import { loadFacts } from './analysis_facts.js'
import { PHASES, phaseOf, type Phase } from './phases.js'
import { PROCESSES, RUNNING, type ProcessName } from './processes.js'
import { findProblems } from './runs.js'
import { findLastChanges, findNodeStates } from './node_states.js'

export interface Explanation {
  readonly phase: Phase
  /** Whether all conditions of the phase hold. */
  readonly ready: boolean
  readonly conditions: readonly Condition[]
}

/** Explains what an analysis waits for, and who can change that. */
@inject()
export class AnalysisExplanation {
  readonly #pool: CorePool
  readonly #queues: QueueConsumers
  readonly #logs: AnalysisLogService
  readonly #logStore: AnalysisLogStore
  readonly #signatures: BuildSignatures

  constructor(
    pool: CorePool,
    queues: QueueConsumers,
    logs: AnalysisLogService,
    logStore: AnalysisLogStore,
    signatures: BuildSignatures
  ) {
    this.#pool = pool
    this.#queues = queues
    this.#logs = logs
    this.#logStore = logStore
    this.#signatures = signatures
  }

  async of(origin: Origin, id: string): Promise<Explanation> {
    enforce(kind.access.read, origin.actor)
    const analysis = await readAnalysis(origin, id)
    const phase = phaseOf(analysis)
    const unsignedBuild =
      phase === 'distribution' ? await this.#signatures.findUnsigned(analysis) : undefined
    const mayReadLogs = await this.#logs.mayRead(origin.actor, id)
    const [facts, nodes, executions, changes, problems] = await Promise.all([
      loadFacts(this.#pool, analysis, { unsignedBuild }),
      findNodeStates(this.#pool, analysis),
      phase === 'execution' ? this.#executions(id, mayReadLogs) : [],
      findLastChanges(this.#pool, id),
      // Only actors who may read the logs of the analysis see the messages of workers.
      mayReadLogs ? findProblems(this.#pool, id) : {},
    ])
    const context = { facts, nodes, executions, lastChanges: changes, problems }
    const conditions = [
      ...PHASES[phase].map((name) => explainCondition(name, context)),
      ...(await this.#workerMissing(analysis, changes)),
    ]
    return { phase, ready: conditions.every(({ holds }) => holds), conditions }
  }

  #executions(id: string, mayReadLogs: boolean): Promise<readonly NodeExecution[]> {
    return findNodeExecutions(this.#pool, id, mayReadLogs ? this.#logStore : undefined)
  }

  /** A condition for a process that was started while no worker consumes its queue. */
  async #workerMissing(
    analysis: Awaited<ReturnType<typeof readAnalysis>>,
    changes: ReadonlyMap<string, Date>
  ): Promise<Condition[]> {
    const [name] = (Object.keys(PROCESSES) as ProcessName[]).filter((process) =>
      RUNNING.some((status) => status === analysis[PROCESSES[process].status])
    )
    if (!name || (await this.#queues.hasConsumers(PROCESSES[name].queue)) !== false) {
      return []
    }
    const since = changes.get(`${name}_status`)?.toISOString() ?? null
    return [
      { code: NO_WORKER.code, holds: false, since, who: [{ type: 'operator' }], action: null },
    ]
  }
}
