import { normalizedLine } from './normalized_line.js'
import type { StreamOptions } from '#auth/record_stream'
import { instantOf } from './instant.js'
import type { LogFilter } from './log_filter.js'
import type { LineLabels, LogRecord } from './log_line.js'
import type { LogPage, LogStore } from './log_store.js'

/** The log store for other surfaces of this process, which check permissions themselves. */
export function localLogs(store: LogStore) {
  return {
    list: (labels: LineLabels, { until, ...page }: LogPage & { until?: string }) =>
      store.list(
        until === undefined ? withLabels(labels) : before(until, withLabels(labels)),
        page
      ),
    tail: (labels: LineLabels, { signal, after }: StreamOptions) =>
      store.tail(withLabels(labels), signal, after),
    write: (line: LogRecord) => store.write([normalizedLine(line)]),
    remove: (labels: LineLabels) => store.remove(withLabels(labels)),
  }
}

function before(until: string, filter: LogFilter): LogFilter {
  const at = instantOf(Date.parse(until))
  return { kind: 'and', filters: [filter, { kind: 'time', op: '<', at }] }
}

function withLabels(labels: LineLabels): LogFilter {
  return {
    kind: 'and',
    filters: Object.entries(labels).map(([name, value]) => ({
      kind: 'oneOf',
      name,
      values: [value],
    })),
  }
}
