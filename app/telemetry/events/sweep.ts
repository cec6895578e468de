import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { Sweep } from '#jobs/sweep'
import { removeExpired } from './event_store.js'

/** Removes the events that have had their time, once at the start and every night. */
export const eventSweep: Sweep = {
  name: 'events',
  schedule: { dailyAt: { hour: 1 } },
  async run(signal) {
    const pool = pools.for(databaseUrl('telemetry'))
    let total = 0
    let isDone = false
    while (!isDone && !signal.aborted) {
      const batch = await removeExpired(pool)
      total += batch.removed
      isDone = batch.isDone
    }
    return total
  },
}
