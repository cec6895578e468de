import { MESSAGE_LIFETIME } from './lifetime.js'

/**
 * Of concurrent requests with the same key, one claims it; the others wait for it and store nothing. Keys of a
 * statement are distinct and claimed in order.
 */
const CLAIM_KEYS = `
  claimed as (
    insert into message_keys as k (sender_type, sender_id, key, ids)
    select sender_type, sender_id, key, ids::uuid[] from asked where key is not null
    order by sender_type, sender_id, key
    on conflict (sender_type, sender_id, key) do update set ids = excluded.ids, created_at = now()
      where k.created_at <= now() - ${MESSAGE_LIFETIME}
    returning sender_type, sender_id, key
  ),`

const WITHOUT_KEY_OR_CLAIMED = `
    where a.key is null
      or (a.sender_type, a.sender_id, a.key) in (select sender_type, sender_id, key from claimed)`

const fitsUnless = (isTooMuch: string, refused: string) =>
  `case when ${isTooMuch} then raise_limit_exceeded(${refused}) else true end as fits`

/**
 * Stores a batch of messages in one statement, atomically. Locks senders and then mailboxes in order before a
 * message gets its time and number, so that messages of a mailbox become visible in their order.
 */
const statement = (claimKeys: string) => `
  with asked as (
    select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::integer[], $6::text[],
        $7::text[], $8::uuid[])
      with ordinality as a (sender_type, sender_id, data, metadata, size, key, ids, content_id, message)
  ), named as (
    select * from unnest($9::integer[], $10::uuid[], $11::text[], $12::uuid[])
      with ordinality as c (message, id, type, recipient, place)
  ), ${claimKeys} sent as (
    select * from asked a ${claimKeys && WITHOUT_KEY_OR_CLAIMED}
  ), senders as (
    insert into message_senders as m (sender_type, sender_id, messages, bytes)
    select * from unnest($14::text[], $15::uuid[], $16::bigint[], $17::bigint[]) order by 1, 2
    on conflict (sender_type, sender_id) do update set
      messages = m.messages + excluded.messages, bytes = m.bytes + excluded.bytes, used_at = now()
    returning
      ${fitsUnless('messages > $18::bigint or bytes > $19::bigint', `'sender_limit', sender_type, sender_id`)}
  ), copies as (
    select c.*, s.size from sent s join named c using (message)
    where (select coalesce(bool_and(fits), true) from senders)
  ), boxes as (
    insert into mailboxes as m (recipient_type, recipient_id, messages, bytes, arrivals)
    select type, recipient, count(*), sum(size), count(*)
    from copies group by type, recipient order by type, recipient
    on conflict (recipient_type, recipient_id) do update set
      messages = m.messages + excluded.messages,
      bytes = m.bytes + excluded.bytes,
      arrivals = m.arrivals + excluded.arrivals,
      used_at = now()
    returning recipient_type as type, recipient_id as id, arrivals,
      ${fitsUnless('bytes > $13::bigint', `'mailbox_limit', recipient_type, recipient_id`)}
  ), contents as (
    insert into message_contents (id, sender_type, sender_id, data, metadata, size)
    select content_id, sender_type, sender_id, data, metadata, size from sent
    where content_id is not null
  ), stored as (
    insert into messages
      (id, sender_type, sender_id, recipient_type, recipient_id, data, metadata, size, content_id)
    select c.id, s.sender_type, s.sender_id, c.type, c.recipient,
      case when s.content_id is null then s.data end,
      case when s.content_id is null then s.metadata end, s.size, s.content_id
    from copies c join sent s using (message) join boxes b on b.type = c.type and b.id = c.recipient
    where b.fits order by c.place
  )
  select c.message, b.type, b.id, b.arrivals::float8 as arrivals
  from copies c join boxes b on b.type = c.type and b.id = c.recipient`

export const SEND = { name: 'send-messages', text: statement('') }
export const SEND_ONCE = { name: 'send-messages-once', text: statement(CLAIM_KEYS) }
