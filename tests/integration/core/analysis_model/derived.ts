import type { AnalysisState, NodeState, Status } from './state.js'

/** Failures first, then from the least to the most advanced status. */
export const WORST_FIRST: readonly Status[] = [
  'failed',
  'starting',
  'started',
  'stopping',
  'stopped',
  'executing',
  'executed',
]

export type Nodes = ReadonlyMap<number, NodeState>

/** The code files. */
export function codeOf({ buckets, files }: AnalysisState) {
  const code = buckets.filter(({ type }) => type === 'CODE').map(({ bucket }) => bucket)
  return files.filter(({ bucket }) => code.includes(bucket))
}

/** The content that nodes approve. */
export function contentOf(analysis: AnalysisState): string {
  const code = codeOf(analysis).map(({ key, bucket, path, root }) => [key, bucket, path, root])
  const { image, arguments: args } = analysis
  return JSON.stringify([
    image,
    args,
    code.toSorted(([one], [other]) => Number(one) - Number(other)),
  ])
}

/** The summary columns of an analysis, derived from the state. */
export function derivedOf(analysis: AnalysisState, nodes: Nodes) {
  const { assignments } = analysis
  const types = assignments.map(({ node }) => nodes.get(node)!.type)
  const approved = assignments.filter(({ decision }) => decision === 'approved').length
  const agreed = assignments.filter(({ decision }) => decision === 'approved')
  const takingPart = agreed.length > 0 ? agreed : assignments
  const progress = takingPart.reduce((sum, one) => sum + (one.progress ?? 0), 0)
  return {
    nodes: assignments.length,
    nodes_approved: approved,
    configuration_entrypoint_valid: codeOf(analysis).some(({ root }) => root),
    configuration_image_valid: analysis.image !== null,
    configuration_node_aggregator_valid: types.includes('aggregator'),
    configuration_node_default_valid: types.includes('default'),
    configuration_nodes_valid: types.includes('aggregator') && types.includes('default'),
    build_nodes_valid: assignments.length > 0 && approved === assignments.length,
    execution_status: executionOf(takingPart.map(({ status }) => status)),
    execution_progress: takingPart.length === 0 ? 0 : Math.floor(progress / takingPart.length),
  }
}

/** A node without a report is not finished. */
function executionOf(statuses: readonly (Status | null)[]): Status | null {
  const worst = WORST_FIRST.find((status) => statuses.includes(status)) ?? null
  return worst === 'executed' && statuses.includes(null) ? 'executing' : worst
}
