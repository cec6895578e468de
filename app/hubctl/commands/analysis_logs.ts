import type { Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { nodesOfAnalysis } from '#hubctl/kinds/nodes_of_analysis'
import { ANALYSES, NODES } from '#hubctl/kinds/places'
import { jsonLine } from '#hubctl/output/json'
import { shown } from '#hubctl/output/shown'
import type { Output } from '#hubctl/output/output'
import type { Api } from '#hubctl/platform/api'
import { followed } from '#hubctl/platform/follow'
import { pagesOf, type Fields } from '#hubctl/platform/pages'

interface Options {
  readonly node?: string
  readonly limit: number
  readonly follow?: boolean
}

interface Line extends Fields {
  readonly time: string
  readonly level: string
  readonly message: string
}

/** One list of lines: of the analysis as a whole, or of it at a node. */
interface Source {
  readonly path: string
  readonly query: readonly [string, string][]
  readonly from: string
}

/** Shows the newest lines of an analysis, the oldest of them first, and then those that come in. */
export async function showLogs(invocation: Invocation<Options>, idOrName: string): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id } = await findRecord(api, ANALYSES, idOrName)
  const sources = await sourcesOf(api, id, options.node)
  const following = options.follow
    ? Promise.all(sources.map((source) => follow(api, source, output)))
    : undefined
  const lines = await Promise.all(sources.map((source) => newest(api, source, options.limit)))
  const sorted = lines.flat().toSorted((one, other) => one.line.time.localeCompare(other.line.time))
  const shownLines = sorted.slice(-options.limit)
  if (shownLines.length === 0 && !options.follow) {
    output.note('It has logged nothing that is kept.')
  }
  shownLines.forEach(({ line, from }) => write(output, line, from))
  await following
}

async function sourcesOf(
  api: Api,
  analysisId: string,
  node: string | undefined
): Promise<Source[]> {
  const analysis: [string, string] = ['filter[analysisId]', analysisId]
  const atNode = (nodeId: string, from: string): Source => ({
    path: '/analysis-node-logs',
    query: [analysis, ['filter[nodeId]', nodeId]],
    from,
  })
  if (node !== undefined) {
    const { id } = await findRecord(api, NODES, node)
    return [atNode(id, node)]
  }
  const nodes = await nodesOfAnalysis(api, analysisId)
  const whole: Source = { path: '/analysis-logs', query: [analysis], from: 'analysis' }
  return [whole, ...[...nodes].map(([id, name]) => atNode(id, name))]
}

async function newest(api: Api, { path, query, from }: Source, limit: number) {
  const lines: { line: Line; from: string }[] = []
  for await (const { data } of pagesOf(api, 'core', path, { query, limit })) {
    lines.push(...data.map((line) => ({ line: line as Line, from })))
  }
  return lines
}

async function follow(api: Api, { path, query, from }: Source, output: Output): Promise<void> {
  for await (const line of followed<Line>(api, 'core', path, new URLSearchParams([...query]))) {
    write(output, line, from)
  }
}

function write(output: Output, line: Line, from: string): void {
  output.line(
    output.isTable
      ? `${line.time} ${line.level.padEnd(5)} ${from}: ${shown(line.message)}`
      : jsonLine(line)
  )
}
