import type pg from 'pg'

import type { EventSink, RecordChange } from './events.js'

/** Records many changes, at once if the sink supports it. */
export async function recordAll(
  sink: EventSink,
  transaction: pg.ClientBase,
  changes: readonly RecordChange[]
): Promise<void> {
  if (sink.recordAll) {
    return sink.recordAll(transaction, changes)
  }
  for (const change of changes) {
    await sink.record(transaction, change)
  }
}
