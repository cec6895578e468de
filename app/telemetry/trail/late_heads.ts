import type pg from 'pg'

/** Heads are anchored every second, and after a failure once a minute. */
const LATE_SECONDS = 120

const OLDEST = `
  select extract(epoch from now() - min(b.sealed_at))::float8 as seconds
  from event_chains c join event_batches b on b.chain = c.chain and b.number = c.anchored + 1
  where c.number > c.anchored`

/**
 * Why heads of the audit trail are not anchored; undefined if they are. Events after the last anchored head could
 * be cut off unnoticed.
 */
export async function lateHeads(pool: Pick<pg.Pool, 'query'>): Promise<string | undefined> {
  const { rows } = await pool.query<{ seconds: number | null }>(OLDEST)
  const seconds = rows[0]?.seconds ?? 0
  return seconds > LATE_SECONDS
    ? `a head of the audit trail could not be anchored for ${Math.round(seconds)} s; see the log of event-heads`
    : undefined
}
