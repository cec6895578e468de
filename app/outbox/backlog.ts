import type pg from 'pg'

import type { Backlog } from './metrics.js'

const BACKLOG = `
  select (select count(*) from (select 1 from outbox limit 100000) as counted)::int as depth,
    coalesce((select extract(epoch from clock_timestamp() - written_at) from outbox
              order by position limit 1), 0)::float as seconds`

/** The backlog of an outbox, counted up to 100,000. */
export async function backlogOf(database: pg.Client | pg.Pool): Promise<Backlog> {
  const { rows } = await database.query<Backlog>(BACKLOG)
  return rows[0]!
}
