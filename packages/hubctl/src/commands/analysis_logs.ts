import type { Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { ANALYSES } from '#hubctl/kinds/record_collections'
import { jsonLine } from '#hubctl/output/json'
import { printable } from '#hubctl/output/printable'
import type { Output } from '#hubctl/output/output'
import type { Api } from '#hubctl/platform/api'
import { tailRecords } from '#hubctl/platform/tail_records'
import {
  findLogSources,
  readNewestLines,
  type LineFrom,
  type LogLine,
  type LogSource,
} from './log_sources.js'

interface LogsOptions {
  readonly node?: string
  readonly limit: number
  readonly follow?: boolean
}

/** Prints the newest log lines in order of time; with `--follow`, also new ones as they arrive. */
export async function showLogs(
  invocation: Invocation<LogsOptions>,
  idOrName: string
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id } = await findRecord(api, ANALYSES, idOrName)
  const sources = await findLogSources(api, id, options.node)
  const tailing = options.follow
    ? Promise.all(sources.map((source) => tailSource(api, source, output)))
    : undefined
  const lines = await readNewestLines(api, sources, options.limit)
  const shownLines = lines.slice(-options.limit)
  if (shownLines.length === 0 && !options.follow) {
    output.note('There are no log lines.')
  }
  shownLines.forEach((line) => printLine(output, line))
  await tailing
}

async function tailSource(
  api: Api,
  { service, path, query, node }: LogSource,
  output: Output
): Promise<void> {
  const parameters = new URLSearchParams([...query])
  for await (const line of tailRecords<LogLine>(api, service, path, parameters)) {
    printLine(output, { line, node })
  }
}

function printLine(output: Output, { line, node = 'analysis' }: LineFrom): void {
  output.line(
    output.isTable
      ? `${line.time} ${line.level.padEnd(5)} ${node}: ${printable(line.message)}`
      : jsonLine(line)
  )
}
