import { inject } from '@adonisjs/core'

import { AnalysisLogStore } from '#core/analysis_logs/analysis_log_store'
import { ANALYSIS, ANALYSIS_AT_NODE } from '#core/analysis_logs/log_subject'
import { CorePool } from '#core/database'
import { EventReader } from '#core/events/event_reader'
import { eventSource } from './event_source.js'
import { historySource } from './history_source.js'
import { logSource } from './log_source.js'
import type { TimelineSource } from './timeline_entry.js'

/** Where the entries of a timeline come from. */
@inject()
export class TimelineSources {
  /** For all who may read the analysis. */
  readonly open: readonly TimelineSource[]
  /** Messages of workers and nodes, for those who may read the logs of the analysis. */
  readonly logs: readonly TimelineSource[]

  constructor(pool: CorePool, events: EventReader, logs: AnalysisLogStore) {
    this.open = [eventSource(events), historySource(pool)]
    this.logs = [
      historySource(pool, 'problems'),
      ...[ANALYSIS, ANALYSIS_AT_NODE].map(({ toStoredLabels }) =>
        logSource(logs, (analysisId) => toStoredLabels({ analysisId }))
      ),
    ]
  }
}
