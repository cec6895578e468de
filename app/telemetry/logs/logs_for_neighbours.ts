import { fittedLine } from './fitted_line.js'
import type { StreamOptions } from '#auth/record_stream'
import { instantOf } from './instant.js'
import type { LogFilter } from './log_filter.js'
import type { LineLabels, LogRecord } from './log_line.js'
import type { LogPage, LogStore } from './log_store.js'

/** The log store as other surfaces of this process use it, who have looked at permissions themselves. */
export function logsForNeighbours(store: LogStore) {
  return {
    list: (labels: LineLabels, { until, ...page }: LogPage & { until?: string }) =>
      store.list(until === undefined ? having(labels) : before(until, having(labels)), page),
    tail: (labels: LineLabels, { signal, after }: StreamOptions) =>
      store.follow(having(labels), signal, after),
    write: (line: LogRecord) => store.write([fittedLine(line)]),
    remove: (labels: LineLabels) => store.remove(having(labels)),
  }
}

function before(until: string, filter: LogFilter): LogFilter {
  const at = instantOf(Date.parse(until))
  return { kind: 'and', filters: [filter, { kind: 'time', op: '<', at }] }
}

function having(labels: LineLabels): LogFilter {
  return {
    kind: 'and',
    filters: Object.entries(labels).map(([name, value]) => ({
      kind: 'oneOf',
      name,
      values: [value],
    })),
  }
}
