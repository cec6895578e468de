import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { asLeader } from '#jobs/leader'
import { removeInPortions, until, type Sweeping } from '#jobs/portions'
import type { LongSweep, Swept } from '#jobs/sweep'
import { inTransaction } from '#records/transaction'
import { telemetryPool } from '#telemetry/database'
import { removeExpired } from '#telemetry/trail/remove_events'

const TURN_MS = 20_000

/** Removes the events that have had their time, once at the start and every night. */
export function eventSweep(logger: Pick<Logger, 'info'>): LongSweep {
  return {
    name: 'events',
    schedule: { dailyAt: { hour: 1 } },
    runTurn: async (signal) =>
      (await sweepEvents({ logger, signal, turnMs: TURN_MS })) ?? { removed: 0, isDone: true },
  }
}

/** Removes expired events, in one process at a time; undefined where another one does. */
export function sweepEvents(sweeping: Sweeping): Promise<Swept | undefined> {
  const pool = telemetryPool()
  return asLeader(pool, 'expired events', (lost) =>
    removeInPortions(
      () => removeSome(pool),
      'expired events are being removed',
      until(lost, sweeping)
    )
  )
}

async function removeSome(pool: pg.Pool): Promise<Swept> {
  const { events, batches } = await inTransaction(pool, removeExpired)
  return { removed: events, isDone: batches === 0 }
}
