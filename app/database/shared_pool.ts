import type pg from 'pg'

import { newId } from '#kernel/new_id'

type LentConnection = pg.PoolClient & { __knexUid?: string; __knex__disposed?: unknown }

/**
 * Lends connections of a pool to Lucid, in the shape that its query builder expects. Closing a Lucid connection does
 * not close the pool. The pool is resolved lazily: programs without queries need no database.
 */
export function sharedPool(pool: () => pg.Pool) {
  return {
    acquire: () => ({ promise: Promise.try(() => pool().connect()).then(withUid) }),
    release(connection: LentConnection) {
      connection.release(Boolean(connection.__knex__disposed))
      return true
    },
    async destroy() {},
    numFree: () => pool().idleCount,
    numUsed: () => pool().totalCount - pool().idleCount,
    numPendingAcquires: () => pool().waitingCount,
    numPendingCreates: () => 0,
    on() {},
  }
}

function withUid(connection: LentConnection): LentConnection {
  connection.__knexUid ??= `lent ${newId()}`
  return connection
}
