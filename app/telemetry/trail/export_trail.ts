import type pg from 'pg'

import { clock } from '#kernel/clock'
import { claimedAttributes } from '#kernel/event_claims'
import { removedPositions } from './check_batch.js'
import { portionsWithin, readChain, type ReadPortion, type StoredBatch } from './read_chain.js'
import { inSnapshot } from './snapshot.js'
import { digestOf, statementOf, type ChainHead } from './statements.js'
import type { TrailKey } from './trail_key.js'

/**
 * The trail of some chains as JSON lines, with everything that is needed to verify it offline: signed statements,
 * the leaves of each batch, and the remaining events. Each portion has a snapshot of its own, so that no connection
 * waits for the reader. Batches that are added meanwhile are not included.
 */
export async function* exportTrail(
  pool: pg.Pool,
  { chains, key }: { chains: readonly string[]; key: TrailKey }
): AsyncGenerator<string> {
  const ends = await endsOf(pool, chains)
  yield line({
    trail: { version: 2, publicKey: key.publicKey, exportedAt: new Date(clock.now()) },
  })
  for (const chain of chains) {
    yield* exportChain(pool, { chain, end: ends.get(chain) ?? 0, key })
  }
}

async function endsOf(pool: pg.Pool, chains: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ chain: string; number: string }>(
    'select chain, max(number) as number from event_batches where chain = any($1::text[]) group by chain',
    [chains]
  )
  return new Map(rows.map(({ chain, number }) => [chain, Number(number)]))
}

async function* exportChain(
  pool: pg.Pool,
  { chain, end, key }: { chain: string; end: number; key: TrailKey }
): AsyncGenerator<string> {
  let head: ChainHead = { chain, number: 0, digest: '' }
  const portions: ReadPortion = async (_chain, after) => {
    const portion =
      after >= end ? [] : await inSnapshot(pool, (client) => portionsWithin(client)(chain, after))
    return portion.filter(({ header }) => header.number <= end)
  }
  for await (const batch of readChain(chain, portions)) {
    yield* exportBatch(batch, key)
    head = { chain, number: batch.header.number, digest: digestOf(batch.header) }
  }
  const statement = statementOf.head(head)
  yield line({ head: { statement, signature: key.sign(statement).toString('base64') } })
}

function* exportBatch(batch: StoredBatch, key: TrailKey): Generator<string> {
  const { header, signature, leaves } = batch
  yield line({
    batch: {
      statement: statementOf.batch(header),
      signature: signature.toString('base64'),
      leaves: leaves.toString('base64'),
    },
  })
  for (const removal of batch.removals) {
    yield line({
      removal: {
        statement: removal.statement,
        signature: removal.signature.toString('base64'),
      },
    })
  }
  const removed = removedPositions(batch, key)
  for (const [position, id] of batch.ids.entries()) {
    const event = batch.events.get(id)
    if (event && !removed.has(position)) {
      yield line({ position, event, claimed: claimedAttributes(event) })
    }
  }
}

function line(content: unknown): string {
  return `${JSON.stringify(content)}\n`
}
