import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { codeIn } from '#hubctl/commands/analysis_run/code_folder'
import { createAnalysis } from '#hubctl/commands/analysis_run/create_analysis'
import { downloadResults } from '#hubctl/commands/analysis_run/download_results'
import { RunProgress } from '#hubctl/commands/analysis_run/run_progress'
import { Output } from '#hubctl/output/output'
import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { differences, readExpectation } from '#hubctl/sandbox/expectation'
import { MASTER_IMAGE, PROJECT } from '#hubctl/sandbox/network'

interface AnalysisState {
  readonly configurationLocked: boolean
  readonly buildStatus: string | null
  readonly distributionStatus: string | null
}

export interface NodeState extends Fields {
  readonly nodeId: string
  readonly approvalStatus: string | null
  readonly executionStatus: string | null
  readonly node: { readonly name: string }
}

interface LogLine extends Fields {
  readonly level: string
  readonly labels: { readonly code?: string }
}

const ENDED: readonly (string | null)[] = ['executed', 'failed', 'stopped']
const QUIET = new Output({ output: { name: 'table' }, quiet: true })

/** An analysis on its way from its code to its result. */
export class Study {
  readonly kind: string
  readonly id: string
  readonly #folder: string
  nodes: readonly NodeState[] = []

  static async create(api: Api, kind: string, folder: string, round: number): Promise<Study> {
    const { code } = await codeIn(folder, 'main.py')
    const wanted = { project: PROJECT, image: MASTER_IMAGE, entrypoint: 'main.py', code }
    const name = `${kind}-${round}`
    const { id } = await createAnalysis(api, { ...wanted, name }, QUIET, new RunProgress(QUIET))
    return new Study(kind, id, folder)
  }

  private constructor(kind: string, id: string, folder: string) {
    this.kind = kind
    this.id = id
    this.#folder = folder
  }

  get isExecuted(): boolean {
    return this.nodes.every(({ executionStatus }) => executionStatus === 'executed')
  }

  get hasEnded(): boolean {
    return (
      this.nodes.length > 0 &&
      this.nodes.every(({ executionStatus }) => ENDED.includes(executionStatus))
    )
  }

  /** Gives the next command that is due. A hub that is away is asked again at the next call. */
  async advance(api: Api): Promise<void> {
    try {
      const { data } = await api.read<{ data: AnalysisState }>('core', `/analyses/${this.id}`)
      this.nodes = await allOf<NodeState>(api, 'core', '/analysis-nodes', {
        query: [
          ['filter[analysisId]', this.id],
          ['include', 'node'],
        ],
      })
      const command = nextCommand(data, this.nodes)
      if (command) {
        await api.change('POST', 'core', `/analyses/${this.id}/command`, { command })
      }
    } catch {
      // What was not done is seen at the next call.
    }
  }

  /** Nodes at which it was not executed without a line of the log that says why. */
  async unexplained(api: Api): Promise<string[]> {
    const silent: string[] = []
    for (const { node, nodeId, executionStatus } of this.nodes) {
      const lines = await allOf<LogLine>(api, 'core', '/analysis-node-logs', {
        query: [
          ['filter[analysisId]', this.id],
          ['filter[nodeId]', nodeId],
        ],
      })
      if (executionStatus !== 'executed' && !lines.some(isReason)) {
        silent.push(`${this.kind} at ${node.name}: ${executionStatus}`)
      }
    }
    return silent
  }

  /** What differs from the expected result, and the text of the result. */
  async result(api: Api): Promise<{ text: string; problems: string[] }> {
    const folder = await mkdtemp(join(tmpdir(), 'hub-soak-result-'))
    try {
      await downloadResults(api, { id: this.id, name: this.kind }, folder, QUIET)
      const text = await readFile(join(folder, 'result.txt'), 'utf8')
      const expectation = await readExpectation(this.#folder)
      const problems = expectation ? differences(JSON.parse(text), expectation.result) : []
      return { text, problems: problems.map((problem) => `${this.kind}: ${problem}`) }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

const isReason = ({ labels: { code } }: LogLine): boolean => code === 'failed' || code === 'stopped'

function nextCommand(
  { configurationLocked, buildStatus, distributionStatus }: AnalysisState,
  nodes: readonly NodeState[]
): string | undefined {
  if (!configurationLocked) {
    return 'configurationLock'
  }
  if (buildStatus === null) {
    const isApproved = nodes.every(({ approvalStatus }) => approvalStatus === 'approved')
    return isApproved ? 'buildStart' : undefined
  }
  return buildStatus === 'executed' && distributionStatus === null ? 'distributionStart' : undefined
}
