import type pg from 'pg'

import { clock } from '#kernel/clock'
import { leafOf, type SealedEvent } from './leaf.js'
import { packIds } from './packed_ids.js'
import { chainOf, digestOf, rootOf, statementOf, type BatchHeader } from './statements.js'
import { trailKey } from './trail_key.js'

const HOUR_MS = 3_600_000

interface Head {
  readonly number: number
  readonly digest: string | null
}

interface SealedBatch {
  readonly header: BatchHeader
  readonly ids: Buffer
  readonly leaves: Buffer
}

/** Events that expire together: of one chain and within the same hour. */
interface EventGroup {
  readonly chain: string
  readonly expiresAt: string | null
  readonly ids: Buffer
  readonly leaves: Buffer
  readonly size: number
}

/**
 * Seals events in the transaction that stores them. Other writers of the chain wait until the commit, so this is
 * the last step of the transaction.
 */
export async function sealEvents(
  transaction: pg.ClientBase,
  events: readonly SealedEvent[]
): Promise<void> {
  if (events.length === 0) {
    return
  }
  const groups = groupsOf(events)
  const heads = await lockHeads(transaction, groups)
  const batches: SealedBatch[] = []
  for (const group of groups) {
    const batch = sealGroup(group, heads.get(group.chain)!)
    heads.set(group.chain, { number: batch.header.number, digest: digestOf(batch.header) })
    batches.push(batch)
  }
  await insertBatches(transaction, batches)
}

/** To avoid deadlocks, chains begin in a fixed order, all of them before one is locked, and are locked in a fixed order. */
async function lockHeads(
  transaction: pg.ClientBase,
  groups: readonly EventGroup[]
): Promise<Map<string, Head>> {
  const chains = [...new Set(groups.map(({ chain }) => chain))].toSorted()
  const heads = await lockAllOrNone(transaction, chains)
  if (heads.size > 0) {
    return heads
  }
  await transaction.query(
    `insert into event_chains (chain) select unnest($1::text[]) on conflict do nothing`,
    [chains]
  )
  return lockAllOrNone(transaction, chains)
}

/** Locks none if one of them does not exist yet. */
async function lockAllOrNone(
  transaction: pg.ClientBase,
  chains: readonly string[]
): Promise<Map<string, Head>> {
  const { rows } = await transaction.query<{
    chain: string
    number: string
    digest: string | null
  }>({
    name: 'lock-event-chains',
    text: `
      select chain, number, digest from event_chains
      where chain = any($1::text[])
        and (select count(*) from event_chains where chain = any($1::text[])) = cardinality($1::text[])
      order by chain for update`,
    values: [chains],
  })
  return new Map(
    rows.map(({ chain, number, digest }) => [chain, { number: Number(number), digest }])
  )
}

function groupsOf(events: readonly SealedEvent[]): EventGroup[] {
  const groups = Map.groupBy(events, (event) => {
    const expiry = expiryOf(event)
    return `${chainOf(event.realmId)} ${expiry && Math.floor(expiry / HOUR_MS)}`
  })
  return Array.from(groups.values(), groupOf)
}

function groupOf(events: readonly SealedEvent[]): EventGroup {
  const last = events
    .map(expiryOf)
    .reduce((a, b) => (a === null || b === null ? null : Math.max(a, b)))
  return {
    chain: chainOf(events[0]!.realmId),
    expiresAt: last === null ? null : new Date(last).toISOString(),
    ids: packIds(events.map(({ id }) => id)),
    leaves: Buffer.concat(events.map(leafOf)),
    size: events.length,
  }
}

function expiryOf({ expiring, expiresAt }: SealedEvent): number | null {
  return expiring && expiresAt ? Date.parse(expiresAt) : null
}

function sealGroup(
  { chain, expiresAt, ids, leaves, size }: EventGroup,
  { number, digest }: Head
): SealedBatch {
  const header: BatchHeader = {
    chain,
    number: number + 1,
    previous: digest,
    root: rootOf(leaves),
    size,
    expiresAt,
    sealedAt: new Date(clock.now()).toISOString(),
  }
  return { header, ids, leaves }
}

const INSERT_BATCHES = {
  name: 'insert-event-batches',
  text: `
    with batch as (
      insert into event_batches (chain, number, previous, root, size, expires_at, sealed_at, signature, ids, leaves)
      select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::int[], $6::timestamptz[],
        $7::timestamptz[], $8::bytea[], $9::bytea[], $10::bytea[]))
    update event_chains c set number = head.number, digest = head.digest
    from unnest($11::text[], $12::bigint[], $13::text[]) as head (chain, number, digest)
    where c.chain = head.chain`,
}

async function insertBatches(
  transaction: pg.ClientBase,
  batches: readonly SealedBatch[]
): Promise<void> {
  const headers = batches.map(({ header }) => header)
  const last = [...new Map(headers.map((header) => [header.chain, header])).values()]
  const key = trailKey()
  await transaction.query({
    ...INSERT_BATCHES,
    values: [
      headers.map(({ chain }) => chain),
      headers.map(({ number }) => number),
      headers.map(({ previous }) => previous),
      headers.map(({ root }) => root),
      headers.map(({ size }) => size),
      headers.map(({ expiresAt }) => expiresAt),
      headers.map(({ sealedAt }) => sealedAt),
      headers.map((header) => key.sign(statementOf.batch(header))),
      batches.map(({ ids }) => ids),
      batches.map(({ leaves }) => leaves),
      last.map(({ chain }) => chain),
      last.map(({ number }) => number),
      last.map((header) => digestOf(header)),
    ],
  })
}
