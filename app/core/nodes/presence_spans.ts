import type pg from 'pg'

import type { DatabasePool } from '#database/database_pool'
import { clock } from '#kernel/clock'

/** Older spans are removed when the next one begins. */
const KEPT_MS = 30 * 24 * 60 * 60_000

/** A time in which a node was online; it lasts if `until` is null. */
export interface PresenceSpan {
  readonly from: string
  readonly until: string | null
}

interface SpanRow {
  readonly from: Date
  readonly until: Date | null
}

/** Records that a node is online, or that it was until its last sign of life. */
export async function recordSpan(
  transaction: pg.ClientBase,
  nodeId: string,
  online: boolean
): Promise<void> {
  const now = clock.now()
  if (online) {
    await transaction.query(REMOVE_OLD, [nodeId, new Date(now - KEPT_MS)])
  }
  await transaction.query(online ? OPEN : CLOSE, [nodeId, new Date(now)])
}

const REMOVE_OLD = 'delete from node_presence_spans where node_id = $1 and offline_since < $2'

const OPEN = `insert into node_presence_spans (node_id, online_since)
  select $1, $2 where not exists (
    select 1 from node_presence_spans where node_id = $1 and offline_since is null)
  on conflict do nothing`

const CLOSE = `update node_presence_spans p
  set offline_since = greatest(p.online_since, coalesce(
    (select s.seen_at from node_sightings s join nodes n on n.client_id = s.client_id where n.id = $1), $2))
  where p.node_id = $1 and p.offline_since is null`

/** The spans of a node since a time, oldest first. */
export async function findSpans(
  pool: DatabasePool,
  nodeId: string,
  since: number
): Promise<PresenceSpan[]> {
  const { rows } = await pool.query<SpanRow>(
    `select online_since as "from", offline_since as until from node_presence_spans
     where node_id = $1 and (offline_since is null or offline_since >= $2) order by online_since`,
    [nodeId, new Date(since)]
  )
  return rows.map(({ from, until }) => ({
    from: from.toISOString(),
    until: until?.toISOString() ?? null,
  }))
}
