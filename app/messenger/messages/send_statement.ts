import { KEPT } from './lifetime.js'

/**
 * One of those with the same key at the same time keeps it; the others wait for that one, and store nothing. Those of a statement are
 * claimed in their order, and none of them twice.
 */
const ONCE = `
  claimed as (
    insert into message_keys as k (sender_type, sender_id, key, ids)
    select s.sender_type, s.sender_id, s.key, array_agg(c.id order by c.place)
    from sent s join named c using (message) where s.key is not null
    group by s.sender_type, s.sender_id, s.key order by s.sender_type, s.sender_id, s.key
    on conflict (sender_type, sender_id, key) do update set ids = excluded.ids, created_at = now()
      where k.created_at <= now() - ${KEPT}
    returning sender_type, sender_id, key
  ),`

const OR_CLAIMED = `
    where s.key is null
      or (s.sender_type, s.sender_id, s.key) in (select sender_type, sender_id, key from claimed)`

/**
 * All that some messages become, in one statement: they are sent together, or none of them is. The mailboxes are locked in their order before
 * a message gets its time and its number, so that those of a mailbox come in the order in which they are committed.
 */
const statement = (once: string) => `
  with sent as (
    select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::integer[], $6::text[])
      with ordinality as s (sender_type, sender_id, data, metadata, size, key, message)
  ), named as (
    select * from unnest($7::integer[], $8::uuid[], $9::text[], $10::uuid[])
      with ordinality as c (message, id, type, recipient, place)
  ), ${once} copies as (
    select c.*, s.sender_type, s.sender_id, s.data, s.metadata, s.size
    from sent s join named c using (message) ${once && OR_CLAIMED}
  ), boxes as (
    insert into mailboxes as m (recipient_type, recipient_id, messages, bytes, arrivals)
    select type, recipient, count(*), within_mailbox(type, recipient, sum(size), $11::bigint), count(*)
    from copies group by type, recipient order by type, recipient
    on conflict (recipient_type, recipient_id) do update set
      messages = m.messages + excluded.messages,
      bytes = within_mailbox(m.recipient_type, m.recipient_id, m.bytes + excluded.bytes, $11::bigint),
      arrivals = m.arrivals + excluded.arrivals,
      used_at = now()
    returning recipient_type as type, recipient_id as id, arrivals
  ), stored as (
    insert into messages
      (id, sender_type, sender_id, recipient_type, recipient_id, data, metadata, size)
    select c.id, c.sender_type, c.sender_id, c.type, c.recipient, c.data, c.metadata, c.size
    from copies c join boxes b on b.type = c.type and b.id = c.recipient
    order by c.place
  )
  select c.message, b.type, b.id, b.arrivals::float8 as arrivals
  from copies c join boxes b on b.type = c.type and b.id = c.recipient`

export const SEND = { name: 'send-messages', text: statement('') }
export const SEND_ONCE = { name: 'send-messages-once', text: statement(ONCE) }
