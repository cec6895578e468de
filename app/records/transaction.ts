import { setTimeout as delay } from 'node:timers/promises'

import type pg from 'pg'

import { jitteredBackoff } from '#kernel/backoff'
import { isSerializationFailure } from '#kernel/database_failures'
import { inTransactionScope } from './transaction_scope.js'

const commitCallbacks = new WeakMap<pg.ClientBase, Set<() => void>>()

/**
 * Has something done once what was written on a transaction is kept; never, where nothing is. It must not throw.
 */
export function afterCommit(transaction: pg.ClientBase, callback: () => void): void {
  commitCallbacks.get(transaction)?.add(callback)
}

const deferredStatements = new WeakMap<pg.ClientBase, Promise<unknown>[]>()

/**
 * Lets a statement be among the last of a transaction: only the commit waits for it, which leaves right behind it and keeps
 * nothing where it fails. Its answer must not matter to the caller.
 */
export function deferToCommit(
  transaction: pg.ClientBase,
  statement: Promise<unknown>
): Promise<void> {
  const deferred = deferredStatements.get(transaction)
  if (!deferred) {
    return statement.then(() => {})
  }
  statement.catch(() => {})
  deferred.push(statement)
  return Promise.resolve()
}

type Work<T> = (transaction: pg.ClientBase) => Promise<T>

/** How often work is tried that the database ends for the sake of others, in all, and how long it waits in between. */
const ATTEMPTS = 5
const BACKOFF = { firstMs: 10, longestMs: 200 }

/**
 * Runs work in one transaction: all of it is kept, or nothing. Where the database ends it for the sake of others, nothing of it is
 * kept and it is done anew; so what it does outside of the transaction has to bear that, or to wait with `afterCommit`.
 */
export async function inTransaction<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(pool, work)
    } catch (error) {
      if (attempt === ATTEMPTS || !isSerializationFailure(error)) {
        throw error
      }
      await delay(jitteredBackoff(attempt, BACKOFF))
    }
  }
}

/** A connection that broke is not given back to the pool. */
async function runOnce<T>(pool: pg.Pool, work: Work<T>): Promise<T> {
  const client = await pool.connect()
  const unawaited = [begin(client)]
  const callbacks = new Set<() => void>()
  commitCallbacks.set(client, callbacks)
  deferredStatements.set(client, unawaited)
  let broken: Error | undefined
  try {
    const result = await inTransactionScope(() => work(client))
    await Promise.all([...unawaited, commit(client)])
    callbacks.forEach((callback) => callback())
    return result
  } catch (error) {
    broken = await rollBack(client)
    throw rootCauseOf([error, ...(await failuresOf(unawaited))])
  } finally {
    commitCallbacks.delete(client)
    deferredStatements.delete(client)
    client.release(broken)
  }
}

/**
 * Does parts of one transaction side by side, so that none waits for the answers to the others. Ends when all have, also where
 * one fails: nothing may be sent once the transaction is over.
 */
export async function concurrently<Results extends unknown[]>(
  ...works: { [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  const failures = await failuresOf(works)
  if (failures.length > 0) {
    throw rootCauseOf(failures)
  }
  return Promise.all(works) as Promise<Results>
}

/** The work's first statement leaves together with it; where it fails, so do they all. */
function begin(client: pg.ClientBase): Promise<unknown> {
  const started = client.query('begin')
  started.catch(() => {})
  return started
}

async function failuresOf(works: readonly Promise<unknown>[]): Promise<unknown[]> {
  const ends = await Promise.allSettled(works)
  return ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
}

/** The failure that is behind the others: after it, the transaction refuses whatever else was sent. */
function rootCauseOf(failures: readonly unknown[]): unknown {
  return failures.find((failure) => !isTransactionAborted(failure)) ?? failures[0]
}

const isTransactionAborted = (failure: unknown) =>
  (failure as { code?: unknown } | null)?.code === '25P02'

/** The database answers the end of a transaction in which a statement failed by dropping it, without an error. */
async function commit(client: pg.ClientBase): Promise<void> {
  const { command } = await client.query('commit')
  if (command !== 'COMMIT') {
    throw new TransactionLost()
  }
}

async function rollBack(client: pg.ClientBase): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error as Error
  }
}

/**
 * A statement of the transaction had failed, and the caller went on as if it had not.
 */
export class TransactionLost extends Error {
  static readonly code = 'E_TRANSACTION_LOST'
  readonly code = TransactionLost.code

  constructor() {
    super('Nothing of this transaction was kept: one of its statements had failed')
  }
}
