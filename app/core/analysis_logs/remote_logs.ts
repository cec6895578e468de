import type { RemoteSurface } from '#auth/remote_surface'
import { ownStream } from '#auth/own_stream'
import { requestTelemetry, matchAll } from '#core/request_telemetry'
import type { AnalysisLogStore } from './analysis_log_store.js'

/** Telemetry answers a removal when the lines are deleted. */
const REMOVAL_TIMEOUT_MS = 35_000
/** The minimal length of messages that telemetry accepts. */
const MIN_MESSAGE_LENGTH = 3

/** The logs of a telemetry that runs elsewhere. */
export function remoteLogs(telemetry: RemoteSurface): AnalysisLogStore {
  return {
    async list(labels, { limit, offset, oldestFirst, until }) {
      const query = matchAll(labels, until === undefined ? [] : [`lt(time,'${until}')`])
      query.set('page[limit]', String(limit))
      query.set('page[offset]', String(offset))
      if (oldestFirst) {
        query.set('sort', 'time')
      }
      const path = `/logs?${query}`
      const { data, meta } = JSON.parse(
        await requestTelemetry(telemetry, { about: 'Logs', path, expected: 200 })
      )
      return { records: data.map(withoutReporter), total: meta.total }
    },
    async *tail(labels, options) {
      const lines = ownStream(telemetry, { path: `/logs?${matchAll(labels)}`, ...options })
      for await (const { record, cursor } of lines) {
        yield { record: withoutReporter(JSON.parse(record)), cursor }
      }
    },
    async write({ message, ...line }) {
      const body = { ...line, message: message.padEnd(MIN_MESSAGE_LENGTH) }
      await requestTelemetry(telemetry, {
        about: 'Logs',
        path: '/logs',
        expected: 201,
        method: 'POST',
        body,
      })
    },
    async remove(labels) {
      await requestTelemetry(telemetry, {
        about: 'Logs',
        path: `/logs?${matchAll(labels)}`,
        expected: 202,
        method: 'DELETE',
        limitMs: REMOVAL_TIMEOUT_MS,
      })
    },
  }
}

/** Who reported a line is telemetry's to show. */
function withoutReporter({ reportedBy: _, ...line }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(line)
}
