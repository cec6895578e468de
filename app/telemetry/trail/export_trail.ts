import type pg from 'pg'

import { clock } from '#kernel/clock'
import { removedPositions } from './check_batch.js'
import { readChain, type StoredBatch } from './read_chain.js'
import { digestOf, statementOf, type ChainHead } from './statements.js'
import type { TrailKey } from './trail_key.js'

/**
 * The trail of some chains as JSON lines, with everything that is needed to check it without the platform: statements as they
 * were signed, the leaves of each batch, and the events that are left of it.
 */
export async function* exportTrail(
  pool: pg.Pool,
  { chains, key }: { chains: readonly string[]; key: TrailKey }
): AsyncGenerator<string> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    yield line({
      trail: { version: 2, publicKey: key.publicKey, exportedAt: new Date(clock.now()) },
    })
    for (const chain of chains) {
      yield* exportChain(client, chain, key)
    }
  } finally {
    await client.query('rollback').finally(() => client.release())
  }
}

async function* exportChain(
  client: pg.ClientBase,
  chain: string,
  key: TrailKey
): AsyncGenerator<string> {
  let head: ChainHead = { chain, number: 0, digest: '' }
  for await (const batch of readChain(client, chain)) {
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
      yield line({ position, event })
    }
  }
}

function line(content: unknown): string {
  return `${JSON.stringify(content)}\n`
}
