import type { ProviderChange } from '#identity/provider'
import { eventSink } from '#records/event_sink'
import type { EventSink } from '#records/events'
import { leaveLast } from '#records/transaction'
import { NotificationListener } from './notifications.js'

const CHANNEL = 'identity_changes'
const ANNOUNCED = new Set<string>(['realm', 'user', 'client'] satisfies ProviderChange['type'][])

/**
 * Passes changes on, and tells every process of those that others have to react to, once they are kept.
 */
export const announcingSink: EventSink = {
  async record(transaction, change) {
    const { kind, type: event, id, next, previous } = change
    if (ANNOUNCED.has(kind)) {
      const { name, realmId } = (next ?? previous)!
      const announcement = JSON.stringify({ type: kind, event, data: { id, name, realmId } })
      const told = transaction.query('select pg_notify($1, $2)', [CHANNEL, announcement])
      await leaveLast(transaction, told)
    }
    await eventSink.record(transaction, change)
  },
}

/** Hears of the changes that any process makes. */
export function changeListener(listener: (change: ProviderChange) => void): NotificationListener {
  return new NotificationListener({
    channel: CHANNEL,
    hear: (payload) => listener(JSON.parse(payload)),
  })
}
