import type pg from 'pg'

import { clock } from '#kernel/clock'
import { fitted, type EventBody } from './event_body.js'
import type { Retention } from './retention.js'
import { sanitized } from './sanitize.js'

const BATCH = 1_000

const INSERT = {
  name: 'insert-event',
  text: `insert into events (id, scope, name, ref_type, ref_id, data, expiring, request_path, request_method,
           request_ip_address, request_user_agent, actor_type, actor_id, actor_name, realm_id, expires_at, created_at,
           updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)`,
}

/**
 * Writes an event that happened at the given time.
 */
export async function insertEvent(
  transaction: pg.ClientBase,
  body: EventBody,
  { expiring, expiresAt }: Retention,
  happenedAt: Date
): Promise<void> {
  const event = fitted(body)
  const data = sanitized(event.data)
  await transaction.query({
    ...INSERT,
    values: [
      clock.uuid(),
      event.scope,
      event.name,
      event.refType,
      event.refId,
      data && JSON.stringify(data),
      expiring,
      event.requestPath,
      event.requestMethod,
      event.requestIpAddress,
      event.requestUserAgent,
      event.actorType,
      event.actorId,
      event.actorName,
      event.realmId,
      expiresAt,
      happenedAt,
    ],
  })
}

/** Removes one batch of the events that have had their time; answers how many there were, and whether that was all. */
export async function removeExpired(
  on: pg.ClientBase | pg.Pool
): Promise<{ removed: number; isDone: boolean }> {
  const { rowCount } = await on.query(
    `delete from events where id = any(array(
       select id from events where expiring and expires_at < $1 order by expires_at limit ${BATCH}))`,
    [new Date(clock.now())]
  )
  const removed = rowCount ?? 0
  return { removed, isDone: removed < BATCH }
}
