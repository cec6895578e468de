import type pg from 'pg'

import { unpackIds } from '#telemetry/trail/packed_ids'
import type { UpcomingChange } from './upcoming_change.js'

interface Batch {
  readonly chain: string
  readonly number: string
  readonly ids: Buffer
}

const NO_CHAIN = ''
const PROBLEM = 'has expired, or will within an hour: it is removed when the hub starts'

/** Events are removed with their batch, when the last of it has expired. */
const EXPIRING = `select chain, number, ids from event_batches
  where not is_removed and expires_at < now() + interval '1 hour' and (chain, number) > ($1, $2::bigint)
  order by chain, number limit 100`

/** Events that are removed at the start. */
export async function* expiringEvents(pool: pg.Pool): AsyncGenerator<UpcomingChange, void, void> {
  let [chain, number] = [NO_CHAIN, '0']
  for (;;) {
    const { rows } = await pool.query<Batch>(EXPIRING, [chain, number])
    for (const { ids } of rows) {
      yield* unpackIds(ids).map((id) => ({ table: 'telemetry.events', problem: PROBLEM, id }))
    }
    const last = rows.at(-1)
    if (!last) {
      return
    }
    ;({ chain, number } = last)
  }
}
