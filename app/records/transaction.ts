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
    await commit(client)
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

/** The database answers the end of a transaction in which a statement failed by dropping it, without an error. */
async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('commit')
  if (command !== 'COMMIT') {
    throw new TransactionLost()
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

/**
 * A statement of the transaction had failed, and whoever sent it went on as if it had not.
 */
export class TransactionLost extends Error {
  static readonly code = 'E_TRANSACTION_LOST'
  readonly code = TransactionLost.code

  constructor() {
    super('Nothing of this transaction was kept: one of its statements had failed')
  }
}
