import type { SurfaceName } from '#configuration/surfaces'
import { findRecord } from '#hubctl/kinds/find_record'
import { nodesOfAnalysis } from '#hubctl/kinds/nodes_of_analysis'
import { NODES } from '#hubctl/kinds/record_collections'
import type { Api } from '#hubctl/platform/api'
import { pagesOf, type Fields } from '#hubctl/platform/pages'

export interface LogLine extends Fields {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly labels: Readonly<Record<string, string>>
}

/** A list of log lines: of the whole analysis, of one node, or of a request. */
export interface LogSource {
  readonly service: SurfaceName
  readonly path: string
  readonly query: readonly [string, string][]
  /** The name of the node; undefined for others. */
  readonly node: string | undefined
}

/** A line and the node that it is from, if it is of one. */
export interface LineFrom {
  readonly line: LogLine
  readonly node: string | undefined
}

/** The logs of an analysis: of the whole and of each node, or of one node alone. */
export async function findLogSources(
  api: Api,
  analysisId: string,
  node?: string
): Promise<LogSource[]> {
  const analysis: [string, string] = ['filter[analysisId]', analysisId]
  const atNode = (nodeId: string, name: string): LogSource => ({
    service: 'core',
    path: '/analysis-node-logs',
    query: [analysis, ['filter[nodeId]', nodeId]],
    node: name,
  })
  if (node !== undefined) {
    const { id } = await findRecord(api, NODES, node)
    return [atNode(id, node)]
  }
  const nodes = await nodesOfAnalysis(api, analysisId)
  const whole: LogSource = {
    service: 'core',
    path: '/analysis-logs',
    query: [analysis],
    node: undefined,
  }
  return [whole, ...[...nodes].map(([id, name]) => atNode(id, name))]
}

/** The newest lines of each source, in order of time. */
export async function readNewestLines(
  api: Api,
  sources: readonly LogSource[],
  limit: number
): Promise<LineFrom[]> {
  const lines = await Promise.all(sources.map((source) => readNewest(api, source, limit)))
  return lines.flat().toSorted((one, other) => one.line.time.localeCompare(other.line.time))
}

async function readNewest(
  api: Api,
  { service, path, query, node }: LogSource,
  limit: number
): Promise<LineFrom[]> {
  const lines: LineFrom[] = []
  for await (const { data } of pagesOf(api, service, path, { query, limit })) {
    lines.push(...data.map((line) => ({ line: line as LogLine, node })))
  }
  // Lines of the same millisecond stay in their order.
  return lines.toReversed()
}
