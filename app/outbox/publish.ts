import type pg from 'pg'

import { type Message } from '#bus/message'
import { newId } from '#kernel/new_id'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { SecurityEvent, SecuritySink } from '#audit/security_event'
import { DEFAULT_AUDIT } from '#records/audit'
import type { EventSink, RecordChange } from '#records/events'
import { declaredKinds, type Kind } from '#records/kind'
import { deferToCommit } from '#records/transaction'
import { traceHeaders } from '#tracing/tracing'
import { appSettings } from '#settings/app_settings'
import { DESTINATIONS, type Content } from './entry.js'
import { changeContent } from '#outbox/payloads/change_content'
import { actorContextOf } from '#outbox/payloads/actor_context'
import { sealCommand } from '#outbox/payloads/sealed_command'
import { notifyWritten, notifyAfterCommit } from './wakeups.js'

const { audit, bus, pubsub, sockets, commands } = DESTINATIONS

const CHANGE_DESTINATIONS = audit | bus | pubsub | sockets

const INSERT_ALL = {
  name: 'write-outbox-all',
  text: `insert into outbox (message_id, pending, ordered_by, queue, content)
         select message_id, pending, ordered_by, queue, content::json
         from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::text[])
           with ordinality as e (message_id, pending, ordered_by, queue, content, turn)
         order by turn`,
}

const INSERT = {
  name: 'write-outbox',
  text: `insert into outbox (message_id, pending, ordered_by, queue, content)
         values ($1, $2, $3, $4, $5)`,
}

interface NewEntry {
  readonly messageId: string
  readonly pending: number
  readonly orderedBy: string
  readonly queue?: string
  readonly content: Content
}

/** Publishes a change of a record to all its destinations when the transaction commits. */
export function publishChange(transaction: pg.ClientBase, change: RecordChange): Promise<void> {
  return insertWithin(transaction, entryOf(change))
}

/** Like `publishChange`, for many changes. */
function publishChanges(
  transaction: pg.ClientBase,
  changes: readonly RecordChange[]
): Promise<void> {
  return insertAllWithin(transaction, changes.map(entryOf))
}

/** Publishes a command when the transaction commits. Commands with the same `orderedBy` arrive in order. */
export function publishCommand(
  transaction: pg.ClientBase,
  message: Message,
  orderedBy: string
): Promise<void> {
  return insertWithin(transaction, entryFor({ message, orderedBy }))
}

/** A message and its ordering key. */
export interface OrderedMessage {
  readonly message: Message
  readonly orderedBy: string
}

/** Like `publishCommand`, for many messages. */
export function publishCommands(
  transaction: pg.ClientBase,
  messages: readonly OrderedMessage[]
): Promise<void> {
  return insertAllWithin(transaction, messages.map(entryFor))
}

/** Publishes a security event to the audit trail, outside of any transaction. Resolves once it is stored. */
export async function publishSecurityEvent(event: SecurityEvent): Promise<void> {
  const { type, subject, id, realmId, origin, count, facts } = event
  const messageId = newId()
  const content = {
    security: { event: type, subject, id, realmId, count, facts, doer: actorContextOf(origin) },
  }
  const pool = pools.for(databaseUrl(appSettings().surfaces[0]!))
  await insert(pool, { messageId, pending: audit, orderedBy: messageId, content })
  notifyWritten()
}

/** The sink of record changes. */
export const changeOutbox: EventSink = { record: publishChange, recordAll: publishChanges }

/** The sink of security events. */
export const securityOutbox: SecuritySink = { record: publishSecurityEvent }

function entryOf(change: RecordChange): NewEntry {
  const kind = kindNamed(change.kind)
  const { isRecorded } = kind?.audit ?? DEFAULT_AUDIT
  return {
    messageId: change.messageId ?? newId(),
    pending: isRecorded ? CHANGE_DESTINATIONS : CHANGE_DESTINATIONS & ~audit,
    orderedBy: `${change.kind}/${change.id}`,
    content: { change: changeContent(change, kind) },
  }
}

function entryFor({ message, orderedBy }: OrderedMessage): NewEntry {
  return {
    messageId: message.id,
    pending: commands,
    orderedBy,
    queue: message.metadata.routing.key,
    content: sealCommand(message),
  }
}

/** Awaits the insert, so that at most one batch is in memory. */
async function insertAllWithin(
  transaction: pg.ClientBase,
  entries: readonly NewEntry[]
): Promise<void> {
  const [first, ...others] = entries
  if (!first) {
    return
  }
  if (others.length === 0) {
    return insertWithin(transaction, first)
  }
  const values = [
    entries.map(({ messageId }) => messageId),
    entries.map(({ pending }) => pending),
    entries.map(({ orderedBy }) => orderedBy),
    entries.map(({ queue = null }) => queue),
    entries.map(({ content }) => serializeContent(content)),
  ]
  await transaction.query({ ...INSERT_ALL, values })
  notifyAfterCommit(transaction)
}

async function insertWithin(transaction: pg.ClientBase, entry: NewEntry): Promise<void> {
  await deferToCommit(transaction, insert(transaction, entry))
  notifyAfterCommit(transaction)
}

async function insert(on: pg.ClientBase | pg.Pool, entry: NewEntry): Promise<void> {
  const { messageId, pending, orderedBy, queue = null, content } = entry
  const values = [messageId, pending, orderedBy, queue, serializeContent(content)]
  await on.query({ ...INSERT, values })
}

const serializeContent = (content: Content): string =>
  JSON.stringify({ ...content, ...traceHeaders() })

function kindNamed(name: string): Kind | undefined {
  return declaredKinds().find((candidate) => candidate.name === name)
}
