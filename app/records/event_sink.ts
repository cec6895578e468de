import type pg from 'pg'

import type { EventSink, RecordChange } from './events.js'

/** Until something listens, changes are made and no listener is told. */
const nobody: EventSink = { record: async () => {} }

let current = nobody

/** Where the changes of this process go. */
export const eventSink: EventSink = {
  record: (transaction, change) => current.record(transaction, change),
  recordAll: (transaction, changes) => recordAll(current, transaction, changes),
}

/** Keeps many changes by any sink. */
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

/**
 * Sends changes to a sink until the returned function is called.
 */
export function useEventSink(sink: EventSink): () => void {
  const previous = current
  current = sink
  return () => {
    current = previous
  }
}
