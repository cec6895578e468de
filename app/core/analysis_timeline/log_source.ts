import type { AnalysisLogStore, LogLabels } from '#core/analysis_logs/analysis_log_store'
import type { TimelineEntry, TimelineSource } from './timeline_entry.js'

interface LogLine {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly labels: LogLabels
}

/** The log lines with these labels: about an analysis, or about it at its nodes. */
export function logSource(
  logs: AnalysisLogStore,
  labelsOf: (analysisId: string) => LogLabels
): TimelineSource {
  return {
    async read(analysisId, { until, limit }) {
      const part = { limit, offset: 0, oldestFirst: false, ...(until && { until }) }
      const { records } = await logs.list(labelsOf(analysisId), part)
      return records.map((record) => entryOf(JSON.parse(record) as LogLine))
    },
  }
}

function entryOf({ time, level, message, labels }: LogLine): TimelineEntry {
  return {
    time: new Date(time).toISOString(),
    source: 'log',
    name: level,
    ...(labels.nodeId && { node: labels.nodeId }),
    message,
    data: labels,
  }
}
