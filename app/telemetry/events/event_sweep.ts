import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { runAsLeader } from '#jobs/leader_election'
import { removeInBatches, withSignal, type BatchedRemovalOptions } from '#jobs/remove_in_batches'
import type { LongSweep, SweepResult } from '#jobs/sweep'
import { inTransaction } from '#records/transaction'
import { telemetryPool } from '#telemetry/database'
import { removeExpired } from '#telemetry/trail/remove_events'

const TURN_MS = 20_000

/** Removes expired events, once at the start and every night. */
export function eventSweep(logger: Pick<Logger, 'info'>): LongSweep {
  return {
    name: 'events',
    schedule: { dailyAt: { hour: 1 } },
    runTurn: async (signal) =>
      (await sweepEvents({ logger, signal, turnMs: TURN_MS })) ?? { removed: 0, isDone: true },
  }
}

/** Removes expired events, in one process at a time; undefined if another process does. */
export function sweepEvents(sweeping: BatchedRemovalOptions): Promise<SweepResult | undefined> {
  const pool = telemetryPool()
  return runAsLeader(pool, 'expired events', (lost) =>
    removeInBatches(
      () => removeBatch(pool),
      'expired events are being removed',
      withSignal(lost, sweeping)
    )
  )
}

async function removeBatch(pool: pg.Pool): Promise<SweepResult> {
  const { events, batches } = await inTransaction(pool, removeExpired)
  return { removed: events, isDone: batches === 0 }
}
