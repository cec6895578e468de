import type pg from 'pg'

import type { Sweep } from '#jobs/sweep'
import { clock } from '#kernel/clock'
import { telemetryPool } from '#telemetry/database'
import type { HeadAnchor } from './head_anchor.js'
import { statementOf } from './statements.js'
import { trailKey } from './trail_key.js'

const NAME = 'event-heads'
/** The lock of the process that anchors heads. */
export const HEADS_LOCK = `sweep:${NAME}`
const BATCH_SIZE = 200
/** The pause after a failure, so that it is not logged every second. */
const PAUSE_MS = 60_000

/**
 * Writes the heads of changed chains to the object store, every second. Only events after the last anchored head
 * could be cut off unnoticed.
 */
export function anchorSweep(anchor: HeadAnchor, pool: pg.Pool = telemetryPool()): Sweep {
  let pausedUntil = 0
  return {
    name: NAME,
    schedule: { everyMs: 1_000 },
    async run(signal) {
      if (clock.now() < pausedUntil) {
        return 0
      }
      try {
        await anchorAll(pool, anchor, signal)
      } catch (error) {
        pausedUntil = clock.now() + PAUSE_MS
        throw error
      }
      return 0
    },
  }
}

async function anchorAll(pool: pg.Pool, anchor: HeadAnchor, signal: AbortSignal): Promise<void> {
  let count = BATCH_SIZE
  while (count === BATCH_SIZE && !signal.aborted) {
    count = await anchorHeads(pool, anchor)
  }
}

/** Anchors a bounded number of heads; returns how many. */
export async function anchorHeads(pool: pg.Pool, anchor: HeadAnchor): Promise<number> {
  const { rows } = await pool.query<{ chain: string; number: string; digest: string }>(
    `select chain, number, digest from event_chains where number > anchored order by chain limit ${BATCH_SIZE}`
  )
  for (const { chain, number, digest } of rows) {
    const head = { chain, number: Number(number), digest }
    await anchor.write({ ...head, signature: trailKey().sign(statementOf.head(head)) })
    await pool.query('update event_chains set anchored = $2 where chain = $1 and anchored < $2', [
      chain,
      number,
    ])
  }
  return rows.length
}
