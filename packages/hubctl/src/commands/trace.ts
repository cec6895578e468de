import { Command } from 'commander'

import { EXIT } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { RecordNames } from '#hubctl/kinds/record_names'
import { wholeNumber } from '#hubctl/options'
import { Problem } from '#hubctl/problem'
import { readNewestLines, type LogSource } from './log_sources.js'
import { requestTraceOf } from './request_tree.js'
import { nodeOfPart, nodeOfStep, requestTree, showTrees } from './trace_rows.js'
import type { TracePart } from './trace_tree.js'

export function traceCommand(): Command {
  return new Command('trace')
    .description('show what a request caused, from the log lines that name it')
    .argument('<request>', 'its id, from the header x-request-id of the answer')
    .option('-l, --limit <count>', 'number of the newest log lines to read', wholeNumber, 1000)
    .action(perform(trace))
}

async function trace(invocation: Invocation<{ limit: number }>, requestId: string): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const lines = await readNewestLines(api, [linesOf(requestId)], options.limit)
  const request = requestTraceOf(requestId, lines)
  if (request.steps.length === 0 && request.parts.length === 0) {
    throw new Problem(EXIT.notFound, `No log line names the request ${requestId}.`, [
      'Lines of requests without a problem are stored only with LOG_SHIP_LEVEL=info.',
    ])
  }
  if (!output.isTable) {
    return output.value(request)
  }
  const names = new RecordNames(api, await invocation.kinds())
  const parts = await Promise.all(request.parts.map((part) => withRecordIn(names, part)))
  const children = [...request.steps.map(nodeOfStep), ...parts.map(nodeOfPart)]
  showTrees(output, parts, [requestTree(requestId, children)])
}

const linesOf = (requestId: string): LogSource => ({
  service: 'telemetry',
  path: '/logs',
  query: [['filter[request_id]', requestId]],
  node: undefined,
})

/** Says which record a part was done for. */
async function withRecordIn(names: RecordNames, part: TracePart): Promise<TracePart> {
  const { name, record } = part
  return record === null
    ? part
    : { ...part, name: `${name} of ${await names.of(record.kind, record.id)}` }
}
