import type pg from 'pg'

import { timestampText } from '#query/sql/timestamp'
import type { SealedEvent } from './leaf.js'
import { unpackIds } from './packed_ids.js'
import type { BatchHeader } from './statements.js'

/** A portion has about this many events, which bounds the memory. */
const MAX_EVENTS = 2_000
const MAX_BATCHES = 200

export interface SignedRemoval {
  readonly statement: string
  readonly signature: Buffer
}

/** A batch as it is stored, with its remaining events. It is not verified yet. */
export interface StoredBatch {
  readonly header: BatchHeader
  readonly signature: Buffer
  readonly ids: readonly string[]
  readonly leaves: Buffer
  readonly removals: readonly SignedRemoval[]
  readonly events: ReadonlyMap<string, SealedEvent>
}

export interface BatchRow {
  readonly chain: string
  readonly number: string
  readonly previous: string | null
  readonly root: string
  readonly size: number
  readonly expires_at: Date | null
  readonly sealed_at: Date
  readonly signature: Buffer
  readonly ids: Buffer
  readonly leaves: Buffer
}

/** Reads the batches after one, up to about 2,000 events; none at the end of the chain. */
export type ReadPortion = (chain: string, after: number) => Promise<readonly StoredBatch[]>

/**
 * Reads a chain from its first batch to its last, in bounded portions.
 */
export async function* readChain(
  chain: string,
  readPortion: ReadPortion
): AsyncGenerator<StoredBatch> {
  let portion = await readPortion(chain, 0)
  while (portion.length > 0) {
    yield* portion
    portion = await readPortion(chain, portion.at(-1)!.header.number)
  }
}

/** Reads portions within an open transaction. */
export function portionsWithin(client: pg.ClientBase): ReadPortion {
  return async (chain, after) => {
    const rows = await batchesAfter(client, chain, after)
    return rows.length === 0 ? [] : complete(client, rows)
  }
}

async function batchesAfter(
  client: pg.ClientBase,
  chain: string,
  after: number
): Promise<BatchRow[]> {
  const { rows } = await client.query<BatchRow>({
    name: 'read-event-batches',
    text: `
      select chain, number, previous, root, size, expires_at, sealed_at, signature, ids, leaves from (
        select b.*, sum(size) over (order by number) - size as before from (
          select * from event_batches where chain = $1 and number > $2 order by number limit ${MAX_BATCHES}) b) picked
      where before < ${MAX_EVENTS} order by number`,
    values: [chain, after],
  })
  return rows
}

export function headerOf(row: Omit<BatchRow, 'signature' | 'ids' | 'leaves'>): BatchHeader {
  return {
    chain: row.chain,
    number: Number(row.number),
    previous: row.previous,
    root: row.root,
    size: row.size,
    expiresAt: row.expires_at?.toISOString() ?? null,
    sealedAt: row.sealed_at.toISOString(),
  }
}

async function complete(client: pg.ClientBase, rows: readonly BatchRow[]): Promise<StoredBatch[]> {
  const removals = await removalsOf(client, rows)
  const events = await eventsOf(client, rows)
  return rows.map((row) => ({
    header: headerOf(row),
    signature: row.signature,
    ids: unpackIds(row.ids),
    leaves: row.leaves,
    removals: removals.get(row.number) ?? [],
    events,
  }))
}

async function removalsOf(
  client: pg.ClientBase,
  batches: readonly BatchRow[]
): Promise<Map<string, SignedRemoval[]>> {
  const { rows } = await client.query<SignedRemoval & { number: string }>({
    name: 'read-event-removals',
    text: `select number, statement, signature from event_removals
           where chain = $1 and number = any($2::bigint[]) order by id`,
    values: [batches[0]!.chain, batches.map(({ number }) => number)],
  })
  return Map.groupBy(rows, ({ number }) => number)
}

async function eventsOf(
  client: pg.ClientBase,
  batches: readonly BatchRow[]
): Promise<Map<string, SealedEvent>> {
  const { rows } = await client.query<EventRow>({
    name: 'read-sealed-events',
    text: `select ${EVENT_COLUMNS} from events where id = any($1::uuid[])`,
    values: [batches.flatMap(({ ids }) => unpackIds(ids))],
  })
  return new Map(rows.map((row) => [row.id, asSealed(row)]))
}

export interface EventRow {
  readonly id: string
  readonly scope: string
  readonly name: string
  readonly ref_type: string
  readonly ref_id: string | null
  readonly data: string | null
  readonly expiring: boolean
  readonly request_path: string | null
  readonly request_method: string | null
  readonly request_ip_address: string | null
  readonly request_user_agent: string | null
  readonly actor_type: string | null
  readonly actor_id: string | null
  readonly actor_name: string | null
  readonly realm_id: string | null
  readonly expires_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly reported_by: string | null
}

const iso = (column: string) => `${timestampText(column)} as ${column}`

/** The columns of an `EventRow`. The database formats times as fast as a program. */
const EVENT_COLUMNS = `id, scope, name, ref_type, ref_id, data, expiring, request_path, request_method,
  request_ip_address, request_user_agent, actor_type, actor_id, actor_name, realm_id, ${iso('expires_at')},
  ${iso('created_at')}, ${iso('updated_at')}, reported_by`

/** A stored event as the API returns it. */
export function asSealed(row: EventRow): SealedEvent {
  return {
    id: row.id,
    scope: row.scope,
    name: row.name,
    refType: row.ref_type,
    refId: row.ref_id,
    data: parsed(row.data),
    expiring: row.expiring,
    requestPath: row.request_path,
    requestMethod: row.request_method,
    requestIpAddress: row.request_ip_address,
    requestUserAgent: row.request_user_agent,
    actorType: row.actor_type,
    actorId: row.actor_id,
    actorName: row.actor_name,
    realmId: row.realm_id,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    reportedBy: parsed(row.reported_by),
  }
}

/** Rows that were written without the platform may not be JSON; they still have to be reported. */
function parsed(data: string | null): unknown {
  try {
    return data === null ? null : JSON.parse(data)
  } catch {
    return { unreadable: data }
  }
}
