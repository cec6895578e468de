import type { AnalysisLogStore } from '#core/analysis_logs/analysis_log_store'
import { ANALYSIS_AT_NODE } from '#core/analysis_logs/log_subject'
import type { ProcessStatus } from '#core/analyses/process_status'
import type { DatabasePool } from '#database/database_pool'

/** How the execution of an analysis stands at one node. */
export interface NodeExecution {
  readonly nodeId: string
  /** Whether the node has approved the analysis; it begins only then. */
  readonly approved: boolean
  /** Null if the node has not started. */
  readonly status: ProcessStatus | null
  readonly since: string
  readonly progress: number | null
  /** The last sign of life of a node that is offline. */
  readonly awaySince: string | null
  /** The last message of the node, or the reason of its failure; for callers who may read the logs. */
  readonly message?: string
  /** The end of the error output where it failed, as far as the policy of the node shares it. */
  readonly output?: readonly string[]
}

/** The code with which a node logs the error output of an analysis that failed. */
const OUTPUT = 'output'
/** All nodes share them: the last message of a node is missing if it is older. */
const NEWEST_LINES = 200
/** The codes with which a node logs why it ended an analysis. */
const REASONS: ReadonlySet<string | undefined> = new Set(['failed', 'stopped'])

const isReason = ({ level, labels: { code } }: LogLine): boolean =>
  level === 'error' || REASONS.has(code)

interface ExecutionRow {
  readonly nodeId: string
  readonly approved: boolean
  readonly status: ProcessStatus | null
  readonly since: Date
  readonly progress: number | null
  readonly awaySince: Date | null
}

interface LogLine {
  readonly level: string
  readonly message: string
  readonly labels: { readonly nodeId?: string; readonly code?: string }
}

const EXECUTIONS = {
  name: 'node-executions',
  text: `select a.node_id as "nodeId", coalesce(a.approval_status = 'approved', false) as approved,
      a.execution_status as status,
      a.execution_progress as progress, case when not n.online then s.seen_at end as "awaySince",
      coalesce((select h.changed_at from status_history h where h.subject_id = a.id
        and h.name = 'execution_status' order by h.position desc limit 1), a.created_at) as since
    from analysis_nodes a
    join nodes n on n.id = a.node_id
    left join node_sightings s on s.client_id = n.client_id
    where a.analysis_id = $1
    order by a.created_at, a.id`,
}

/** The executions at all nodes of an analysis; their messages only for callers who may read the logs. */
export async function findNodeExecutions(
  pool: DatabasePool,
  analysisId: string,
  logs: AnalysisLogStore | undefined
): Promise<NodeExecution[]> {
  const [{ rows }, lines] = await Promise.all([
    pool.query<ExecutionRow>({ ...EXECUTIONS, values: [analysisId] }),
    logs ? newestLines(logs, analysisId) : [],
  ])
  return rows.map((row) => executionOf(row, lines))
}

async function newestLines(logs: AnalysisLogStore, analysisId: string): Promise<LogLine[]> {
  const labels = ANALYSIS_AT_NODE.toStoredLabels({ analysisId })
  const page = { limit: NEWEST_LINES, offset: 0, oldestFirst: false }
  const { records } = await logs.list(labels, page)
  return records.map((record) => JSON.parse(record) as LogLine)
}

function executionOf(
  { nodeId, approved, status, since, progress, awaySince }: ExecutionRow,
  lines: readonly LogLine[]
): NodeExecution {
  const own = lines.filter(({ labels }) => labels.nodeId === nodeId)
  const hasFailed = status === 'failed' || status === 'stopped'
  const reason = hasFailed ? own.find(isReason) : undefined
  const line = reason ?? own[0]
  const output = status === 'failed' ? outputIn(own) : []
  return {
    nodeId,
    approved,
    status,
    since: since.toISOString(),
    progress,
    awaySince: awaySince?.toISOString() ?? null,
    ...(line && { message: line.message }),
    ...(output.length > 0 && { output }),
  }
}

/** The lines of the last run: the newest ones with the code, which the reason for its end precedes. */
function outputIn(newestFirst: readonly LogLine[]): string[] {
  const reason = newestFirst.findIndex(({ labels }) => labels.code === 'failed')
  return newestFirst
    .slice(0, Math.max(reason, 0))
    .filter(({ labels }) => labels.code === OUTPUT)
    .map(({ message }) => message)
    .toReversed()
}
