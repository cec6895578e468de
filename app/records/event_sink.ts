import type { EventSink } from '#records/events'

/** Until something listens, changes are made and told to nobody. */
const nobody: EventSink = { record: async () => {} }

let current = nobody

/** Where the changes of this process go. */
export const eventSink: EventSink = {
  record: (transaction, change) => current.record(transaction, change),
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
