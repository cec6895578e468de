import type { ProviderChange } from '#auth/provider'
import { recordAll } from '#records/event_sink'
import type { EventSink, RecordChange } from '#records/events'
import { deferToCommit } from '#records/transaction'
import { NotificationListener } from './notification_listener.js'

const CHANNEL = 'identity_changes'
const NOTIFIED_KINDS = new Set<string>([
  'realm',
  'user',
  'client',
] satisfies ProviderChange['type'][])

/** An event sink that also notifies all processes of changes of realms, users and clients, on commit. */
export function notifyingSink(sink: EventSink): EventSink {
  return {
    async record(transaction, change) {
      if (NOTIFIED_KINDS.has(change.kind)) {
        const values = [CHANNEL, notificationOf(change)]
        await deferToCommit(transaction, transaction.query('select pg_notify($1, $2)', values))
      }
      await sink.record(transaction, change)
    },
    async recordAll(transaction, changes) {
      const notifications = changes
        .filter(({ kind }) => NOTIFIED_KINDS.has(kind))
        .map(notificationOf)
      if (notifications.length > 0) {
        const text = 'select pg_notify($1, payload) from unnest($2::text[]) as payload'
        await transaction.query(text, [CHANNEL, notifications])
      }
      await recordAll(sink, transaction, changes)
    },
  }
}

function notificationOf({ kind, type: event, id, next, previous }: RecordChange): string {
  const { name, realmId } = (next ?? previous)!
  return JSON.stringify({ type: kind, event, data: { id, name, realmId } })
}

/** Receives the changes of all processes. */
export function changeListener(listener: (change: ProviderChange) => void): NotificationListener {
  return new NotificationListener({
    channels: [CHANNEL],
    receive: (payload) => listener(JSON.parse(payload)),
  })
}
