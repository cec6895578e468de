import { setTimeout as delay } from 'node:timers/promises'

import type pg from 'pg'

import { runAsLeader } from '#jobs/leader_election'
import { HEADS_LOCK } from './anchor_sweep.js'
import type { HeadAnchor } from './head_anchor.js'
import { headerOf, type BatchRow } from './read_chain.js'
import { statementOf } from './statements.js'
import type { TrailKey } from './trail_key.js'

const BATCH_SIZE = 1_000
const RETRY_MS = 50

export interface RenewedSignatures {
  readonly batches: number
  readonly removals: number
  readonly heads: number
}

interface RenewSignaturesOptions {
  readonly key: TrailKey
  readonly anchor: HeadAnchor
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

interface StoredSignature {
  readonly at: readonly [string, string]
  readonly statement: string
  readonly signature: Buffer
}

type SignatureReader = (after: readonly string[]) => Promise<readonly StoredSignature[]>

/**
 * Replaces signatures of former keys by those of the current key, so that the former keys need no trust. Invalid
 * signatures are not replaced, so a check still finds them. Safe to interrupt and repeat.
 */
export async function renewSignatures(
  pool: pg.Pool,
  options: RenewSignaturesOptions
): Promise<RenewedSignatures> {
  const batches = await signAll(pool, 'event_batches', batchesOf(pool), options)
  const removals = await signAll(pool, 'event_removals', removalsOf(pool), options)
  return { batches, removals, heads: await signHeads(pool, options) }
}

const batchesOf =
  (pool: pg.Pool): SignatureReader =>
  async ([chain = '', number = '0']) => {
    const { rows } = await pool.query<Omit<BatchRow, 'ids' | 'leaves'>>(
      `select chain, number, previous, root, size, expires_at, sealed_at, signature from event_batches
       where (chain, number) > ($1, $2) order by chain, number limit ${BATCH_SIZE}`,
      [chain, number]
    )
    return rows.map((row) => ({
      at: [row.chain, row.number],
      statement: statementOf.batch(headerOf(row)),
      signature: row.signature,
    }))
  }

const removalsOf =
  (pool: pg.Pool): SignatureReader =>
  async ([, id = '0']) => {
    const { rows } = await pool.query<{ id: string; statement: string; signature: Buffer }>(
      `select id, statement, signature from event_removals where id > $1 order by id limit ${BATCH_SIZE}`,
      [id]
    )
    return rows.map(({ id: at, ...row }) => ({ at: ['', at], ...row }))
  }

async function signAll(
  pool: pg.Pool,
  table: 'event_batches' | 'event_removals',
  read: SignatureReader,
  { key, dryRun, signal }: RenewSignaturesOptions
): Promise<number> {
  let count = 0
  let portion = await read([])
  while (portion.length > 0) {
    signal?.throwIfAborted()
    const outdated = portion.filter(({ statement, signature }) =>
      key.isSignedByFormerKey(statement, signature)
    )
    if (!dryRun) {
      await write(pool, table, outdated, key)
    }
    count += outdated.length
    portion = await read(portion.at(-1)!.at)
  }
  return count
}

async function write(
  pool: pg.Pool,
  table: 'event_batches' | 'event_removals',
  outdated: readonly StoredSignature[],
  key: TrailKey
): Promise<void> {
  const isRow =
    table === 'event_batches' ? 't.chain = s.chain and t.number = s.number' : 't.id = s.number'
  await pool.query(
    `update ${table} t set signature = s.signature
     from unnest($1::text[], $2::bigint[], $3::bytea[]) as s (chain, number, signature) where ${isRow}`,
    [
      outdated.map(({ at }) => at[0]),
      outdated.map(({ at }) => at[1]),
      outdated.map(({ statement }) => key.sign(statement)),
    ]
  )
}

/** Signs heads as they are anchored: a chain that was cut meanwhile must not get a new end. */
async function signHeads(
  pool: pg.Pool,
  { key, anchor, dryRun, signal }: RenewSignaturesOptions
): Promise<number> {
  let count = 0
  for (const chain of await anchor.chains()) {
    signal?.throwIfAborted()
    let signed: number | undefined
    while ((signed = await runAsLeader(pool, HEADS_LOCK, () => signHead(chain))) === undefined) {
      await delay(RETRY_MS, undefined, { ...(signal && { signal }) })
    }
    count += signed
  }
  return count

  async function signHead(chain: string): Promise<number> {
    const head = await anchor.read(chain)
    if (!head || !key.isSignedByFormerKey(statementOf.head(head), head.signature)) {
      return 0
    }
    if (!dryRun) {
      await anchor.write({ ...head, signature: key.sign(statementOf.head(head)) })
    }
    return 1
  }
}
