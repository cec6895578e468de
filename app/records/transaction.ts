import type pg from 'pg'

import { whileOpen } from '#records/open_transaction'

const awaitingCommit = new WeakMap<pg.ClientBase, Set<() => void>>()

/**
 * Has something done once what was written on a transaction is kept; never, where nothing is. It must not throw.
 */
export function afterCommit(transaction: pg.ClientBase, followUp: () => void): void {
  awaitingCommit.get(transaction)?.add(followUp)
}

/**
 * Runs work in one transaction: all of it is kept, or nothing. A connection that broke is not given back to the pool.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (transaction: pg.ClientBase) => Promise<T>
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const followUps = new Set<() => void>()
    awaitingCommit.set(client, followUps)
    const result = await whileOpen(() => work(client))
    await client.query('commit')
    followUps.forEach((followUp) => followUp())
    return result
  } catch (error) {
    broken = await rolledBack(client)
    throw error
  } finally {
    awaitingCommit.delete(client)
    client.release(broken)
  }
}

async function rolledBack(client: pg.ClientBase): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error as Error
  }
}
