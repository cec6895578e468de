import type pg from 'pg'

/** Heads are noted every second, and after a failure once a minute. */
const LATE_SECONDS = 120

const OLDEST = `
  select extract(epoch from now() - min(b.sealed_at))::float8 as seconds
  from event_chains c join event_batches b on b.chain = c.chain and b.number = c.anchored + 1
  where c.number > c.anchored`

/**
 * Why the ends of the audit trail are not kept outside of the database as they should be; undefined where they are. What is not kept could be cut off
 * without being seen.
 */
export async function lateHeads(pool: Pick<pg.Pool, 'query'>): Promise<string | undefined> {
  const { rows } = await pool.query<{ seconds: number | null }>(OLDEST)
  const seconds = rows[0]?.seconds ?? 0
  return seconds > LATE_SECONDS
    ? `an end of the audit trail could not be kept beside the objects for ${Math.round(seconds)} s; the log of event-heads says why`
    : undefined
}
