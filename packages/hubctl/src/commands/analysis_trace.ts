import type { Invocation } from '#hubctl/invocation'
import { findRecord } from '#hubctl/kinds/find_record'
import { ANALYSES } from '#hubctl/kinds/record_collections'
import { findLogSources, readNewestLines } from './log_sources.js'
import { showTrees, treesOf } from './trace_rows.js'
import { traceOf } from './trace_tree.js'

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
  if (!output.isTable) {
    return output.records(
      parts.map((part) => ({ ...part })),
      { kind: 'part' }
    )
  }
  if (parts.length === 0) {
    return output.note('Nothing was done for it yet.')
  }
  showTrees(output, parts, treesOf(parts))
}
