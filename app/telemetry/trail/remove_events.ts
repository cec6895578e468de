import type pg from 'pg'

import { clock } from '#kernel/clock'
import { positionOf, unpackIds } from './packed_ids.js'
import { NO_REALM, statementOf, type Removal } from './statements.js'
import { trailKey } from './trail_key.js'

/** The events of one transaction: few enough not to delay others. */
const MAX_EVENTS = 500
const MAX_BATCHES = 50

interface ExpiredBatch {
  readonly chain: string
  readonly number: string
  readonly ids: Buffer
}

/** The sealed expiry of the batch counts, not that of its rows. */
const EXPIRED = `
  select chain, number, ids from (
    select chain, number, ids, sum(size) over (order by expires_at, chain, number) - size as before
    from (select * from event_batches where not is_removed and expires_at < $1
          order by expires_at, chain, number limit ${MAX_BATCHES}) due) picked
  where before < ${MAX_EVENTS}`

/** Removes some of the expired events and records that in the trail; returns how many batches and events. */
export async function removeExpired(
  transaction: pg.ClientBase
): Promise<{ batches: number; events: number }> {
  const now = new Date(clock.now())
  const { rows } = await transaction.query<ExpiredBatch>(EXPIRED, [now])
  if (rows.length === 0) {
    return { batches: 0, events: 0 }
  }
  const ids = rows.flatMap((batch) => unpackIds(batch.ids))
  const { rowCount } = await transaction.query('delete from events where id = any($1::uuid[])', [
    ids,
  ])
  const removals = rows.map(({ chain, number }): Removal => ({
    chain,
    number: Number(number),
    positions: null,
    reason: 'expired',
    removedAt: now.toISOString(),
  }))
  await insertRemovals(transaction, removals)
  await transaction.query(
    `update event_batches b set is_removed = true
     from unnest($1::text[], $2::bigint[]) as gone (chain, number)
     where b.chain = gone.chain and b.number = gone.number`,
    [removals.map(({ chain }) => chain), removals.map(({ number }) => number)]
  )
  return { batches: rows.length, events: rowCount ?? 0 }
}

/** Deletes an event and records that in the trail. */
export async function removeEvent(transaction: pg.ClientBase, id: string): Promise<void> {
  const { rows } = await transaction.query<{ chain: string; createdAt: Date }>(
    `delete from events where id = $1
     returning coalesce(realm_id::text, $2) as chain, created_at as "createdAt"`,
    [id, NO_REALM]
  )
  for (const { chain, createdAt } of rows) {
    await insertRemovals(transaction, await findDeletions(transaction, { id, chain, createdAt }))
  }
}

/** An event is sealed after it happened, which limits the batches to search. */
async function findDeletions(
  transaction: pg.ClientBase,
  { id, chain, createdAt }: { id: string; chain: string; createdAt: Date }
): Promise<Removal[]> {
  const { rows } = await transaction.query<{ number: string; ids: Buffer }>(
    `select number, ids from event_batches
     where chain = $1 and sealed_at >= $2::timestamptz - interval '1 day' and position($3::bytea in ids) > 0 order by number`,
    [chain, createdAt, Buffer.from(id.replaceAll('-', ''), 'hex')]
  )
  return rows.flatMap(({ number, ids }): Removal[] => {
    const position = positionOf(id, ids)
    return position < 0
      ? []
      : [
          {
            chain,
            number: Number(number),
            positions: [position],
            reason: 'deleted',
            removedAt: new Date(clock.now()).toISOString(),
          },
        ]
  })
}

async function insertRemovals(
  transaction: pg.ClientBase,
  removals: readonly Removal[]
): Promise<void> {
  const key = trailKey()
  await transaction.query(
    `insert into event_removals (chain, number, statement, signature)
     select * from unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[])`,
    [
      removals.map(({ chain }) => chain),
      removals.map(({ number }) => number),
      removals.map((removal) => statementOf.removal(removal)),
      removals.map((removal) => key.sign(statementOf.removal(removal))),
    ]
  )
}
