import type { KeptLogs, LogLabels } from '#core/analysis_logs/kept_logs'
import type { TimelineEntry, TimelineSource } from './timeline_entry.js'

interface Line {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly labels: LogLabels
}

/** The lines that were logged about an analysis, or at its nodes, whichever these labels are those of. */
export function logSource(
  logs: KeptLogs,
  labelsOf: (analysisId: string) => LogLabels
): TimelineSource {
  return {
    async read(analysisId, { until, limit }) {
      const part = { limit, offset: 0, oldestFirst: false, ...(until && { until }) }
      const { records } = await logs.list(labelsOf(analysisId), part)
      return records.map((record) => entryOf(JSON.parse(record) as Line))
    },
  }
}

function entryOf({ time, level, message, labels }: Line): TimelineEntry {
  return {
    time: new Date(time).toISOString(),
    source: 'log',
    name: level,
    ...(labels.nodeId && { node: labels.nodeId }),
    message,
    data: labels,
  }
}
