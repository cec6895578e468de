import type pg from 'pg'

import { databaseUrl } from '#database/addresses'
import { databaseOwners } from '#database/bus_connections'
import { pools } from '#database/pools'
import { sweepInBatches } from '#jobs/sweep_in_batches'
import type { Sweep } from '#jobs/sweep'
import { clock } from '#kernel/clock'
import { appSettings } from '#settings/app_settings'
import { DESTINATIONS } from './entry.js'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const BATCH = 1_000

/** Brokers do not redeliver messages after this time. */
const INBOX_RETENTION_MS = 7 * DAY_MS

/** Live notifications are useless after this time. */
const NOTIFICATION_RETENTION_MS = DAY_MS

const DELETE_INBOX = `
  delete from inbox where ctid = any(array(
    select ctid from inbox where created_at < $1 limit ${BATCH}))`

const WITHDRAW = `
  with stale as (
    select position, pending & ~$2::smallint as rest from outbox
    where written_at < $1 and pending & $2::smallint <> 0
    order by position limit ${BATCH} for update skip locked
  ), removed as (
    delete from outbox o using stale s where o.position = s.position and s.rest = 0 returning 1
  ), kept as (
    update outbox o set pending = s.rest from stale s
    where o.position = s.position and s.rest <> 0 returning 1
  )
  select (select count(*) from removed) + (select count(*) from kept) as swept`

/** Deletes inbox entries of messages that are not redelivered any more. */
export const inboxSweep: Sweep = {
  name: 'inbox',
  schedule: { everyMs: HOUR_MS },
  run: (signal) =>
    sweepDatabases(signal, async (pool) => {
      const { rowCount } = await pool.query(DELETE_INBOX, [
        new Date(clock.now() - INBOX_RETENTION_MS),
      ])
      return rowCount ?? 0
    }),
}

/** Drops undelivered notifications to channels and sockets after a day; other destinations stay pending. */
export const outboxSweep: Sweep = {
  name: 'outbox',
  schedule: { everyMs: HOUR_MS },
  run: (signal) =>
    sweepDatabases(signal, async (pool) => {
      const { rows } = await pool.query<{ swept: string }>(WITHDRAW, [
        new Date(clock.now() - NOTIFICATION_RETENTION_MS),
        DESTINATIONS.pubsub | DESTINATIONS.sockets,
      ])
      return Number(rows[0]!.swept)
    }),
}

async function sweepDatabases(
  signal: AbortSignal,
  sweepBatch: (pool: pg.Pool) => Promise<number>
): Promise<number> {
  let swept = 0
  for (const surface of databaseOwners(appSettings().surfaces)) {
    const pool = pools.for(databaseUrl(surface))
    swept += await sweepInBatches(BATCH, signal, () => sweepBatch(pool))
  }
  return swept
}
