import type { AnalysisState, NodeState, Status } from './state.js'

/** How far something is, from what stands in the way of everything to what is over. */
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

/** The files with code. */
export function codeOf({ buckets, files }: AnalysisState) {
  const code = buckets.filter(({ type }) => type === 'CODE').map(({ bucket }) => bucket)
  return files.filter(({ bucket }) => code.includes(bucket))
}

/** What nodes are asked about. */
export function contentOf(analysis: AnalysisState): string {
  const code = codeOf(analysis).map(({ key, bucket, path, root }) => [key, bucket, path, root])
  const { image, arguments: args } = analysis
  return JSON.stringify([
    image,
    args,
    code.toSorted(([one], [other]) => Number(one) - Number(other)),
  ])
}

/** What an analysis shows of its parts, by the names of its columns; all of it follows from the state and nothing else. */
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

/** One that has told nothing has not done it. */
function executionOf(told: readonly (Status | null)[]): Status | null {
  const worst = WORST_FIRST.find((status) => told.includes(status)) ?? null
  return worst === 'executed' && told.includes(null) ? 'executing' : worst
}
