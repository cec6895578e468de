import type { DatabasePool } from '#database/database_pool'
import { unpackIds } from '#telemetry/trail/packed_ids'
import { Position } from './position.js'

/** Limits of a read: batches of one chain, and events in total. */
const MAX_BATCHES_PER_CHAIN = 100
const MAX_EVENTS = 1_000

/** Events that were sealed together. Some of them may have been removed. */
export interface EventBatch {
  readonly chain: string
  readonly number: number
  readonly ids: readonly string[]
}

/** The current ends of the chains. */
export async function currentPosition(
  pool: DatabasePool,
  chains: readonly string[] | undefined
): Promise<Position> {
  const { rows } = await pool.read<{ chain: string; number: number }>({
    name: 'event-chain-ends',
    text: `select chain, number::float8 as number from event_chains where $1::text[] is null or chain = any($1)`,
    values: [chains ?? null],
  })
  return Position.after(rows)
}

/**
 * Takes batches of the chains in turn, so that a long one does not delay the others. Visible batches of a chain
 * have no gaps: they are written one transaction after the other.
 */
const AFTER = {
  name: 'event-batches-after',
  text: `
    select chain, number::float8 as number, ids from (
      select b.*, sum(b.size) over (order by b.turn, b.chain) - b.size as before
      from event_chains c
      left join unnest($1::text[], $2::bigint[]) as behind (chain, number) on behind.chain = c.chain
      cross join lateral (
        select e.chain, e.number, e.size, e.number - coalesce(behind.number, 0) as turn,
          case when e.is_removed then ''::bytea else e.ids end as ids
        from event_batches e where e.chain = c.chain and e.number > coalesce(behind.number, 0)
        order by e.number limit ${MAX_BATCHES_PER_CHAIN}) b
      where c.number > coalesce(behind.number, 0) and ($3::text[] is null or c.chain = any($3))) picked
    where before < ${MAX_EVENTS} order by turn, chain`,
}

/** The next batches after a position, up to a limit; none at the end. */
export async function findBatchesAfter(
  pool: DatabasePool,
  position: Position,
  visibleChains: readonly string[] | undefined
): Promise<EventBatch[]> {
  const { chains, numbers } = position.heads
  const values = [chains, numbers, visibleChains ?? null]
  const { rows } = await pool.read<{ chain: string; number: number; ids: Buffer }>({
    ...AFTER,
    values,
  })
  return rows.map(({ ids, ...batch }) => ({ ...batch, ids: unpackIds(ids) }))
}
