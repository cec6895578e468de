import type { StreamOptions, StreamedRecord } from '#auth/record_stream'
import { PLATFORM } from '#telemetry/events/reporter'
import { instantOf } from './instant.js'
import type { LineOwners } from './line_owners.js'
import type { LogFilter } from './log_filter.js'
import { recordOf, type LineLabels, type LogRecord } from './log_line.js'
import type { LogPage, LogStore } from './log_store.js'
import { normalizedLine } from './normalized_line.js'

/** The log store for other surfaces of this process, which check permissions themselves. */
export function localLogs(store: LogStore, owners: Pick<LineOwners, 'ofPlatform'>) {
  return {
    async list(labels: LineLabels, { until, ...page }: LogPage & { until?: string }) {
      const filter = until === undefined ? withLabels(labels) : before(until, withLabels(labels))
      const { records, total } = await store.list(filter, page)
      return { records: records.map(withoutReporter), total }
    },
    async *tail(labels: LineLabels, { signal, after }: StreamOptions) {
      for await (const { record, cursor } of store.tail(withLabels(labels), signal, after)) {
        yield { record: withoutReporter(record), cursor } satisfies StreamedRecord
      }
    },
    async write(line: LogRecord) {
      const owner = await owners.ofPlatform(line.labels, PLATFORM)
      await store.write([normalizedLine({ ...line, owner })])
    },
    remove: (labels: LineLabels) => store.remove(withLabels(labels)),
  }
}

const withoutReporter = (text: string): string =>
  JSON.stringify(recordOf(JSON.parse(text) as LogRecord))

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
