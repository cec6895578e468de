import { setTimeout as pause } from 'node:timers/promises'

import { EXIT } from '#hubctl/exit_codes'
import { pathOf } from '#hubctl/kinds/kind'
import { ANALYSES, ANALYSIS_NODES } from '#hubctl/kinds/record_collections'
import type { AnalysisCommand } from '#hubctl/platform/analysis_commands'
import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { Problem } from '#hubctl/problem'
import type { RunningAnalysis } from './create_analysis.js'
import type { RunProgress } from './run_progress.js'

interface AnalysisState extends Fields {
  readonly buildStatus: string | null
  readonly distributionStatus: string | null
  readonly executionStatus: string | null
  readonly executionProgress: number | null
}

interface NodeState extends Fields {
  readonly nodeId: string
  readonly approvalStatus: string | null
  readonly executionStatus: string | null
  readonly node: { readonly name: string; readonly online: boolean }
}

interface LogLine extends Fields {
  readonly time: string
  readonly level: string
  readonly message: string
}

const POLL_MS = 500
/** Of each node: the reason and the end of its error output. */
const ERRORS_SHOWN = 50
const ENDED = ['executed', 'failed', 'stopped']

/** Takes an analysis from its lock to the end of its execution. */
export async function executeAnalysis(
  api: Api,
  analysis: RunningAnalysis,
  timeoutSeconds: number,
  progress: RunProgress
): Promise<void> {
  const run = new Execution(api, analysis, Date.now() + timeoutSeconds * 1000, progress)
  await run.send('configurationLock')
  await run.approvals()
  await run.send('buildStart')
  await run.process('buildStatus', 'Builds the image')
  await run.send('distributionStart')
  await run.process('distributionStatus', 'Distributes the image')
  await run.execution()
}

class Execution {
  readonly #api: Api
  readonly #analysis: RunningAnalysis
  readonly #deadline: number
  readonly #progress: RunProgress
  /** What was shown of each node last. */
  readonly #states = new Map<string, string>()

  constructor(api: Api, analysis: RunningAnalysis, deadline: number, progress: RunProgress) {
    this.#api = api
    this.#analysis = analysis
    this.#deadline = deadline
    this.#progress = progress
  }

  async send(command: AnalysisCommand): Promise<void> {
    const path = `${pathOf(ANALYSES, this.#analysis.id)}/command`
    await this.#api.change('POST', ANALYSES.service, path, { command })
  }

  /** Waits until every node has decided, and fails if one has rejected. */
  async approvals(): Promise<void> {
    await this.#poll(async () => {
      const nodes = await this.#nodes()
      const rejected = nodes.filter(({ approvalStatus }) => approvalStatus === 'rejected')
      if (rejected.length > 0) {
        throw new Problem(EXIT.refused, `${namesOf(rejected)} rejected the analysis.`)
      }
      const waiting = nodes.filter(({ approvalStatus }) => approvalStatus === null)
      if (waiting.length > 0) {
        this.#progress.state(`Waits for the approval of ${namesOf(waiting)}`)
      }
      return waiting.length === 0
    })
    this.#progress.step('All nodes have approved it')
  }

  /** Waits until a build or a distribution has ended. */
  async process(status: 'buildStatus' | 'distributionStatus', text: string): Promise<void> {
    this.#progress.step(text)
    await this.#poll(async () => {
      const analysis = await this.#read()
      if (analysis[status] === 'failed') {
        throw this.#problem(`"${text}" has failed.`)
      }
      return analysis[status] === 'executed'
    })
  }

  /** Shows the execution at each node until the analysis has ended. */
  async execution(): Promise<void> {
    let result: string | null = null
    await this.#poll(async () => {
      const nodes = await this.#nodes()
      this.#showStates(nodes)
      const { executionStatus, executionProgress } = await this.#read()
      if (executionProgress) {
        this.#progress.state(`${executionProgress} % done`)
      }
      result = executionStatus
      return nodes.every((node) => ENDED.includes(node.executionStatus ?? ''))
    })
    if (result === 'executed') {
      this.#progress.step('Every node has executed it')
      return
    }
    await this.#showErrors()
    throw this.#problem('The execution has failed.')
  }

  /** One line for all nodes that have come to the same state. */
  #showStates(nodes: readonly NodeState[]): void {
    const changed = nodes.filter((node) => this.#states.get(node.nodeId) !== stateOf(node))
    changed.forEach((node) => this.#states.set(node.nodeId, stateOf(node)))
    for (const [state, those] of Map.groupBy(changed, stateOf)) {
      this.#progress.step(`${namesOf(those)}: ${state}`)
    }
  }

  async #showErrors(): Promise<void> {
    for (const { nodeId, node } of await this.#nodes()) {
      const lines = await allOf<LogLine>(this.#api, 'core', '/analysis-node-logs', {
        query: [
          ['filter[analysisId]', this.#analysis.id],
          ['filter[nodeId]', nodeId],
          ['filter[level]', 'error'],
        ],
        limit: ERRORS_SHOWN,
      })
      for (const { message } of lines.toReversed()) {
        this.#progress.step(`${node.name}: ${message}`)
      }
    }
  }

  #problem(message: string): Problem {
    const { name } = this.#analysis
    return new Problem(EXIT.failed, `${name}: ${message}`, [
      `See why: hubctl analysis explain ${name}`,
      `Its log: hubctl analysis logs ${name}`,
    ])
  }

  async #poll(isDone: () => Promise<boolean>): Promise<void> {
    while (!(await isDone())) {
      if (Date.now() > this.#deadline) {
        throw new Problem(EXIT.unreachable, `${this.#analysis.name} has not ended in time.`, [
          `It goes on. See what it waits for: hubctl analysis explain ${this.#analysis.name}`,
        ])
      }
      this.#progress.wait()
      await pause(POLL_MS)
    }
  }

  async #read(): Promise<AnalysisState> {
    const path = pathOf(ANALYSES, this.#analysis.id)
    const { data } = await this.#api.read<{ data: AnalysisState }>(ANALYSES.service, path)
    return data
  }

  #nodes(): Promise<NodeState[]> {
    return allOf<NodeState>(this.#api, ANALYSIS_NODES.service, ANALYSIS_NODES.path, {
      query: [
        ['filter[analysisId]', this.#analysis.id],
        ['include', 'node'],
      ],
    })
  }
}

function stateOf({ node, executionStatus }: NodeState): string {
  return executionStatus ?? (node.online ? 'has not started' : 'has not started, and is offline')
}

const namesOf = (nodes: readonly NodeState[]): string =>
  nodes.map(({ node }) => node.name).join(', ')
