import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { sweepInBatches } from '#jobs/sweep_in_batches'
import { runAsLeader } from '#jobs/leader_election'
import { removeInBatches, withSignal, type BatchedRemovalOptions } from '#jobs/remove_in_batches'
import type { LongSweep, Sweep, SweepResult } from '#jobs/sweep'
import { messengerPool } from '#messenger/database'
import { removeUnusedContents } from '#messenger/messages/remove_unused_contents'
import { MESSAGE_LIFETIME } from '#messenger/messages/lifetime'
import { messageMetrics } from '#messenger/messages/metrics'
import { PARTY_KINDS } from './party.js'

const MINUTE_MS = 60_000
const TURN_MS = 20_000
const BATCH_SIZE = 1_000

/** Longer than the lifetime of a message, by more than a statement takes. */
const LEFTOVER_AGE = `(${MESSAGE_LIFETIME} + interval '1 hour')`

/** How long empty mailboxes and counts of expired messages are retained. */
const MAILBOX_RETENTION = `interval '30 days'`

/** Counts expired messages by recipient and removes them. Locks their mailboxes in order first. */
const EXPIRE = `
  with expired as (
    select id, recipient_type, recipient_id from messages
    where recipient_type = any($1) and created_at <= now() - ${MESSAGE_LIFETIME} limit ${BATCH_SIZE}
  ), boxes as (
    select recipient_type from mailboxes
    where (recipient_type, recipient_id) in (select recipient_type, recipient_id from expired)
    order by recipient_type, recipient_id for update
  ), gone as (
    delete from messages m using expired e where m.id = e.id and (select count(*) from boxes) > 0
    returning m.recipient_type, m.recipient_id, m.size, m.content_id
  ), counted as (
    select recipient_type, recipient_id, count(*) as messages, sum(size) as bytes
    from gone group by recipient_type, recipient_id
  ), noted as (
    update mailboxes m set messages = m.messages - c.messages, bytes = m.bytes - c.bytes,
      expired = m.expired + c.messages, last_expired_at = now()
    from counted c where m.recipient_type = c.recipient_type and m.recipient_id = c.recipient_id
  )
  select coalesce(sum(messages), 0)::int as removed, (select count(*)::int from expired) as found,
    (select array_agg(distinct content_id) filter (where content_id is not null) from gone) as contents
  from counted`

const REMOVE_LEFTOVERS = [
  `delete from message_keys where ctid = any(array(
     select ctid from message_keys where created_at <= now() - ${MESSAGE_LIFETIME} limit ${BATCH_SIZE}))`,
  `delete from mailboxes where messages = 0 and ctid = any(array(
     select ctid from mailboxes
     where messages = 0 and greatest(used_at, last_expired_at) <= now() - ${MAILBOX_RETENTION}
     limit ${BATCH_SIZE}))`,
  // Such a sender has no pending messages. Such a content is unreferenced; its process ended before removing it.
  `delete from message_senders where ctid = any(array(
     select ctid from message_senders where used_at <= now() - ${LEFTOVER_AGE} limit ${BATCH_SIZE}))`,
  `delete from message_contents where ctid = any(array(
     select ctid from message_contents where created_at <= now() - ${LEFTOVER_AGE} limit ${BATCH_SIZE}))`,
]

/** Removes expired messages, every minute. */
export function messageSweep(logger: Pick<Logger, 'info'>): LongSweep {
  return {
    name: 'messages',
    schedule: { everyMs: MINUTE_MS },
    runTurn: async (signal) =>
      (await sweepMessages({ logger, signal, turnMs: TURN_MS })) ?? { removed: 0, isDone: true },
  }
}

/** Removes expired messages, in one process at a time; undefined if another process does. */
export function sweepMessages(sweeping: BatchedRemovalOptions): Promise<SweepResult | undefined> {
  const pool = messengerPool()
  return runAsLeader(pool, 'expired messages', (lost) =>
    removeInBatches(
      () => removeExpiredBatch(pool),
      'expired messages are being removed',
      withSignal(lost, sweeping)
    )
  )
}

interface ExpiredBatch {
  readonly removed: number
  /** More than removed if recipients acknowledged messages of this batch meanwhile. */
  readonly found: number
  readonly contents: string[] | null
}

async function removeExpiredBatch(pool: pg.Pool): Promise<SweepResult> {
  const { rows } = await pool.query<ExpiredBatch>(EXPIRE, [PARTY_KINDS])
  const { removed, found, contents } = rows[0]!
  await removeUnusedContents(pool, contents)
  messageMetrics.expired(removed)
  return { removed, isDone: found < BATCH_SIZE }
}

/** Removes expired idempotency keys, unused mailboxes and other leftovers. */
export const leftoverSweep: Sweep = {
  name: 'message leftovers',
  schedule: { everyMs: 60 * MINUTE_MS },
  async run(signal) {
    let removed = 0
    for (const statement of REMOVE_LEFTOVERS) {
      removed += await sweepInBatches(BATCH_SIZE, signal, async () => {
        const { rowCount } = await messengerPool().query(statement)
        return rowCount ?? 0
      })
    }
    return removed
  },
}
