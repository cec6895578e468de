import { setTimeout as delay } from 'node:timers/promises'

import type pg from 'pg'

import { jitteredBackoff } from '#kernel/backoff'
import { isSerializationFailure } from '#kernel/database_failures'
import { inTransactionScope } from './transaction_scope.js'

const commitCallbacks = new WeakMap<pg.ClientBase, Set<() => void>>()

/** Calls back after the transaction has committed, and not at all if it rolls back. The callback must not throw. */
export function afterCommit(transaction: pg.ClientBase, callback: () => void): void {
  commitCallbacks.get(transaction)?.add(callback)
}

const deferredStatements = new WeakMap<pg.ClientBase, Promise<unknown>[]>()

/**
 * Pipelines a statement with the commit instead of awaiting it; if it fails, so does the commit. Its result must not
 * matter to the caller.
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

/** Attempts in total for work that fails with a deadlock or serialization failure, and the delay between them. */
const ATTEMPTS = 5
const BACKOFF = { firstMs: 10, longestMs: 200 }

/**
 * Runs work in one transaction. After a deadlock or serialization failure it runs again, so effects outside of the
 * transaction must be repeatable or wait for `afterCommit`.
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

/** A broken connection is not returned to the pool. */
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
 * Runs statements of one transaction concurrently, pipelined on its connection. Settles only after all have settled:
 * nothing may be sent after the end of the transaction.
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

/** `begin` is pipelined with the first statement of the work and fails together with it. */
function begin(client: pg.ClientBase): Promise<unknown> {
  const started = client.query('begin')
  started.catch(() => {})
  return started
}

async function failuresOf(works: readonly Promise<unknown>[]): Promise<unknown[]> {
  const ends = await Promise.allSettled(works)
  return ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
}

/** The root cause: after it, PostgreSQL rejects every other statement of the transaction. */
function rootCauseOf(failures: readonly unknown[]): unknown {
  return failures.find((failure) => !isTransactionAborted(failure)) ?? failures[0]
}

const isTransactionAborted = (failure: unknown) =>
  (failure as { code?: unknown } | null)?.code === '25P02'

/** PostgreSQL answers `commit` of a failed transaction with a rollback instead of an error. */
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

/** A statement had failed, and the caller ignored the error. */
export class TransactionLost extends Error {
  static readonly code = 'E_TRANSACTION_LOST'
  readonly code = TransactionLost.code

  constructor() {
    super('The transaction was rolled back: one of its statements had failed')
  }
}
