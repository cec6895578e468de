import type pg from 'pg'

interface Seed {
  readonly recipients: readonly string[]
  /** For each of them. */
  readonly messages: number
  readonly bytes: number
}

/** Fills mailboxes of clients, as if the messages had come within the last hour. */
export async function seedMailboxes(
  sql: pg.Pool,
  { recipients, messages, bytes }: Seed
): Promise<void> {
  await sql.query(
    `insert into messages (id, sender_type, sender_id, recipient_type, recipient_id, data, size, created_at)
     select gen_random_uuid(), 'client', gen_random_uuid(), 'client', recipient, $3, $4,
       now() - interval '1 hour' + number * interval '1 ms'
     from generate_series(1, $2::integer) number, unnest($1::uuid[]) recipient`,
    [recipients, messages, JSON.stringify('x'.repeat(bytes - 2)), bytes + 128]
  )
  await sql.query(
    `insert into mailboxes as m (recipient_type, recipient_id, messages, bytes, arrivals)
     select 'client', recipient, $2, $2::bigint * $3, $2 from unnest($1::uuid[]) recipient
     on conflict (recipient_type, recipient_id) do update set messages = m.messages + excluded.messages,
       bytes = m.bytes + excluded.bytes, arrivals = m.arrivals + excluded.arrivals`,
    [recipients, messages, bytes + 128]
  )
  await sql.query('vacuum analyze messages')
  await sql.query('vacuum analyze mailboxes')
}
