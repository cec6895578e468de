import type { Message, Routing } from '#bus/message'
import { COMMAND_QUEUES, commandRouting, domainEventKey, eventRouting } from '#bus/names'
import type { ChangeContent, Entry } from '#outbox/entry'
import { auditedChange, auditedSecurity, type AuditEvent } from './audit_event.js'
import { fullEventName } from './event_name.js'

const TO_TELEMETRY = commandRouting(COMMAND_QUEUES.telemetryEvent)

/** The command that carries an entry to the audit trail. */
export function auditMessage(entry: Entry): Message {
  return messageOf(entry, TO_TELEMETRY, 'create', { ...auditEventOf(entry) })
}

/** The event that publishes a change on the bus. */
export function domainMessage(entry: Entry, { kind, change, data }: ChangeContent): Message {
  const routing = eventRouting(domainEventKey(kind, change))
  const content = { type: kind, event: change, data }
  return messageOf(entry, routing, fullEventName(kind, change), content, { persistent: true })
}

function auditEventOf({ content }: Entry): AuditEvent {
  if ('change' in content) {
    return auditedChange(content.change)
  }
  if ('security' in content) {
    return auditedSecurity(content.security)
  }
  throw new TypeError('A command is not audited')
}

function messageOf(
  { messageId, writtenAt }: Entry,
  routing: Routing,
  type: string,
  data: Record<string, unknown>,
  metadata: { persistent?: true } = {}
): Message {
  return { id: messageId, type, data, metadata: { timestamp: writtenAt, ...metadata, routing } }
}
