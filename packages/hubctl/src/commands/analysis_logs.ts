import type { Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { nodesOfAnalysis } from '#hubctl/kinds/nodes_of_analysis'
import { ANALYSES, NODES } from '#hubctl/kinds/record_collections'
import { jsonLine } from '#hubctl/output/json'
import { printable } from '#hubctl/output/printable'
import type { Output } from '#hubctl/output/output'
import type { Api } from '#hubctl/platform/api'
import { tailRecords } from '#hubctl/platform/tail_records'
import { pagesOf, type Fields } from '#hubctl/platform/pages'

interface LogsOptions {
  readonly node?: string
  readonly limit: number
  readonly follow?: boolean
}

interface LogLine extends Fields {
  readonly time: string
  readonly level: string
  readonly message: string
}

/** A list of log lines: of the whole analysis, or of one node. */
interface LogSource {
  readonly path: string
  readonly query: readonly [string, string][]
  readonly from: string
}

/** Prints the newest log lines in order of time; with `--follow`, also new ones as they arrive. */
export async function showLogs(
  invocation: Invocation<LogsOptions>,
  idOrName: string
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id } = await findRecord(api, ANALYSES, idOrName)
  const sources = await findSources(api, id, options.node)
  const tailing = options.follow
    ? Promise.all(sources.map((source) => tailSource(api, source, output)))
    : undefined
  const lines = await Promise.all(sources.map((source) => readNewest(api, source, options.limit)))
  const sorted = lines.flat().toSorted((one, other) => one.line.time.localeCompare(other.line.time))
  const shownLines = sorted.slice(-options.limit)
  if (shownLines.length === 0 && !options.follow) {
    output.note('There are no log lines.')
  }
  shownLines.forEach(({ line, from }) => printLine(output, line, from))
  await tailing
}

async function findSources(
  api: Api,
  analysisId: string,
  node: string | undefined
): Promise<LogSource[]> {
  const analysis: [string, string] = ['filter[analysisId]', analysisId]
  const atNode = (nodeId: string, from: string): LogSource => ({
    path: '/analysis-node-logs',
    query: [analysis, ['filter[nodeId]', nodeId]],
    from,
  })
  if (node !== undefined) {
    const { id } = await findRecord(api, NODES, node)
    return [atNode(id, node)]
  }
  const nodes = await nodesOfAnalysis(api, analysisId)
  const whole: LogSource = { path: '/analysis-logs', query: [analysis], from: 'analysis' }
  return [whole, ...[...nodes].map(([id, name]) => atNode(id, name))]
}

async function readNewest(api: Api, { path, query, from }: LogSource, limit: number) {
  const lines: { line: LogLine; from: string }[] = []
  for await (const { data } of pagesOf(api, 'core', path, { query, limit })) {
    lines.push(...data.map((line) => ({ line: line as LogLine, from })))
  }
  return lines
}

async function tailSource(
  api: Api,
  { path, query, from }: LogSource,
  output: Output
): Promise<void> {
  for await (const line of tailRecords<LogLine>(
    api,
    'core',
    path,
    new URLSearchParams([...query])
  )) {
    printLine(output, line, from)
  }
}

function printLine(output: Output, line: LogLine, from: string): void {
  output.line(
    output.isTable
      ? `${line.time} ${line.level.padEnd(5)} ${from}: ${printable(line.message)}`
      : jsonLine(line)
  )
}
