import type { DatabasePool } from '#database/database_pool'
import type { Party } from '#messenger/mailboxes/party'
import { removeUnusedContents } from './remove_unused_contents.js'
import { MESSAGE_LIFETIME, MESSAGE_LIFETIME_MS } from './lifetime.js'

/** The most bytes of an answer, unless a single message is larger. */
const MAX_PULL_BYTES = 16 * 2 ** 20

/** The ids that were returned for an idempotency key; undefined if it has expired. */
export async function findIdsByKey(
  pool: DatabasePool,
  { type, id }: Party,
  key: string
): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ ids: string[] }>({
    name: 'message-ids-by-key',
    text: `
      select ids from message_keys
      where sender_type = $1 and sender_id = $2 and key = $3 and created_at > now() - ${MESSAGE_LIFETIME}`,
    values: [type, id, key],
  })
  return rows[0]?.ids
}

interface PendingRow {
  readonly id: string
  readonly senderType: string
  readonly senderId: string
  readonly data: string | null
  readonly metadata: string | null
  readonly createdAt: number
}

const contentOf = (column: string) => `
    case when content_id is null then ${column}
      else (select c.${column} from message_contents c where c.id = content_id) end as ${column}`

export const PENDING = `
  select id, sender_type as "senderType", sender_id as "senderId",
    ${['data', 'metadata'].map(contentOf).join()},
    (extract(epoch from created_at) * 1000)::float8 as "createdAt"
  from (
    select *, sum(size) over (order by created_at, sequence) - size as before from (
      select * from messages
      where recipient_id = $1 and recipient_type = $2 and created_at > now() - ${MESSAGE_LIFETIME}
      order by created_at, sequence limit $3) oldest) numbered
  where before < ${MAX_PULL_BYTES} order by created_at, sequence`

/** The oldest messages of a mailbox, as JSON. */
export async function findPendingMessages(
  pool: DatabasePool,
  recipient: Party,
  limit: number
): Promise<string[]> {
  const { rows } = await pool.read<PendingRow>({
    name: 'pending-messages',
    text: PENDING,
    values: [recipient.id, recipient.type, limit],
  })
  return rows.map((row) => jsonOf(row, recipient))
}

function jsonOf(row: PendingRow, { type, id }: Party): string {
  const { data, metadata, createdAt } = row
  const time = new Date(createdAt).toISOString()
  return `{"id":"${row.id}","senderType":"${row.senderType}","senderId":"${row.senderId}","recipientType":"${type}","recipientId":"${id}","data":${data},"metadata":${metadata},"createdAt":"${time}","expiresAt":${createdAt + MESSAGE_LIFETIME_MS}}`
}

export const REMOVE = `
  with mailbox as (
    select from mailboxes where recipient_type = $1 and recipient_id = $2 for update
  ), gone as (
    delete from messages
    where id = any($3) and recipient_type = $1 and recipient_id = $2 and exists (select from mailbox)
    returning size, content_id
  ), counted as (
    select count(*) as messages, sum(size) as bytes,
      array_agg(content_id) filter (where content_id is not null) as contents
    from gone
  )
  update mailboxes m set messages = m.messages - c.messages, bytes = m.bytes - c.bytes
  from counted c where m.recipient_type = $1 and m.recipient_id = $2 and c.messages > 0
  returning c.messages::int as count, c.contents`

/** Removes the given messages from a mailbox; returns how many there were. */
export async function removeMessages(
  pool: DatabasePool,
  { type, id }: Party,
  ids: readonly string[]
): Promise<number> {
  const { rows } = await pool.query<{ count: number; contents: string[] | null }>({
    name: 'remove-messages',
    text: REMOVE,
    values: [type, id, ids],
  })
  await removeUnusedContents(pool, rows[0]?.contents)
  return rows[0]?.count ?? 0
}
