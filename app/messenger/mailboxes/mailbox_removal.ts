import type { Reactions } from '#auth/reactions'
import { messengerPool } from '#messenger/database'
import { removeUnusedContents } from '#messenger/messages/remove_unused_contents'
import type { Party } from './party.js'

const BATCH_SIZE = 1_000

const REMOVE_BATCH = `
  with mailbox as (
    select from mailboxes where recipient_type = $1 and recipient_id = $2 for update
  ), portion as (
    select id from messages where recipient_type = $1 and recipient_id = $2 limit ${BATCH_SIZE}
  ), gone as (
    delete from messages m using portion p where m.id = p.id and exists (select from mailbox)
    returning m.size, m.content_id
  ), counted as (
    select count(*) as messages, coalesce(sum(size), 0) as bytes,
      array_agg(content_id) filter (where content_id is not null) as contents
    from gone
  )
  update mailboxes m set messages = m.messages - c.messages, bytes = m.bytes - c.bytes
  from counted c where m.recipient_type = $1 and m.recipient_id = $2
  returning c.messages::int as removed, c.contents`

/** Removes the mailboxes of users and clients that are deleted. */
export const mailboxReactions: Partial<Reactions> = {
  userDeleted: (id) => removeMailbox({ type: 'user', id }),
  clientEnded: (id) => removeMailbox({ type: 'client', id }),
}

/** Removes a mailbox with its messages. A later message creates it again. */
export async function removeMailbox({ type, id }: Party): Promise<void> {
  const values = [type, id]
  for (let removed = 1; removed > 0;) {
    const { rows } = await messengerPool().query<{ removed: number; contents: string[] | null }>(
      REMOVE_BATCH,
      values
    )
    await removeUnusedContents(messengerPool(), rows[0]?.contents)
    removed = rows[0]?.removed ?? 0
  }
  await messengerPool().query(
    'delete from mailboxes where recipient_type = $1 and recipient_id = $2 and messages = 0',
    values
  )
}
