import type { Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { ANALYSES } from '#hubctl/kinds/record_collections'
import type { Fields } from '#hubctl/platform/pages'
import { findLogSources, readNewestLines } from './analysis_log_sources.js'
import { traceOf, type TracePart, type TraceStep } from './trace_tree.js'

/** Shows what was done for an analysis, step by step, from its log lines. */
export async function showTrace(
  invocation: Invocation<{ limit: number }>,
  idOrName: string
): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const { id } = await findRecord(api, ANALYSES, idOrName)
  const sources = await findLogSources(api, id)
  const parts = traceOf(await readNewestLines(api, sources, options.limit))
  output.records(output.isTable ? parts.flatMap(rowsOf) : parts.map((part) => ({ ...part })), {
    kind: 'part',
    columns: ['began', 'took', 'result', 'step'],
    nothing: 'Nothing was done for it yet.',
  })
  const traces = [...new Set(parts.flatMap(({ traceId }) => traceId ?? []))]
  if (output.isTable && traces.length > 0) {
    output.note(`At the collector: ${traces.join(', ')}`)
  }
}

function rowsOf({ steps, ...part }: TracePart): Fields[] {
  const branches = steps.map((step, index) =>
    rowOf(step, index === steps.length - 1 ? '└─ ' : '├─ ')
  )
  return [rowOf(part, ''), ...branches]
}

const rowOf = ({ name, startedAt, seconds, result }: TraceStep, branch: string): Fields => ({
  began: startedAt.replace('T', ' ').replace(/\.\d+Z$|Z$/, ''),
  took: seconds === null ? '' : `${seconds.toFixed(2)} s`,
  result,
  step: `${branch}${name}`,
})
