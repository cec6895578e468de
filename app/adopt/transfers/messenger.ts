import { clock } from '#kernel/clock'
import { PARTY_KINDS } from '#messenger/mailboxes/party'
import { MESSAGE_LIFETIME_MS } from '#messenger/messages/lifetime'
import { ROW_BYTES } from '#messenger/messages/store_messages'
import type { Transfer } from '#adopt/transfer'

const JSON_TEXTS = ['data', 'metadata']

const bytesOf = (column: string) => `coalesce(octet_length(g.${column}), 0)`

const COUNT = `
  insert into mailboxes as m (recipient_type, recipient_id, messages, bytes, arrivals)
  select recipient_type, recipient_id, count(*), sum(size), count(*)
  from messages where id = any($1::uuid[])
  group by recipient_type, recipient_id order by recipient_type, recipient_id
  on conflict (recipient_type, recipient_id) do update set
    messages = m.messages + excluded.messages, bytes = m.bytes + excluded.bytes,
    arrivals = m.arrivals + excluded.arrivals, used_at = now()`

/** Removes messages that were pulled at the source, so that they are not delivered twice. */
const REMOVE = `
  with boxes as (
    select recipient_type from mailboxes
    where (recipient_type, recipient_id) in (
      select recipient_type, recipient_id from messages where id = any($1::uuid[]))
    order by recipient_type, recipient_id for update
  ), gone as (
    delete from messages where id = any($1::uuid[]) and (select count(*) from boxes) > 0
    returning recipient_type, recipient_id, size
  ), counted as (
    select recipient_type, recipient_id, count(*) as messages, sum(size) as bytes
    from gone group by recipient_type, recipient_id
  )
  update mailboxes m set messages = m.messages - c.messages, bytes = m.bytes - c.bytes
  from counted c where m.recipient_type = c.recipient_type and m.recipient_id = c.recipient_id`

/** Messages that were not pulled yet, in the order of delivery. */
export const MESSENGER: readonly Transfer[] = [
  {
    service: 'messenger',
    table: 'messages',
    columns: [
      ...['id', 'sender_type', 'sender_id', 'recipient_type', 'recipient_id', 'data', 'metadata'],
      'created_at',
    ],
    computed: { size: `${JSON_TEXTS.map(bytesOf).join(' + ')} + ${ROW_BYTES}` },
    order: ['created_at', 'id'],
    where: (now) => `expires_at > '${now}'`,
    choices: { sender_type: PARTY_KINDS, recipient_type: PARTY_KINDS },
    json: { data: 'sent', metadata: 'note' },
    isFixed: true,
    problemWith: ({ created_at: createdAt }) =>
      Date.parse(String(createdAt)) <= clock.now() - MESSAGE_LIFETIME_MS
        ? 'is older than messages are retained here'
        : undefined,
    async afterInsert(transaction, rows) {
      await transaction.query(COUNT, [rows.map(({ id }) => id)])
    },
    async removeDeleted(transaction, ids) {
      await transaction.query(REMOVE, [ids])
    },
  },
]
