import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type pg from 'pg'

import { newId } from '#kernel/new_id'
import { RecordModel } from './model.js'

type Connection = pg.ClientBase & { __knexUid?: string }
type Knex = ReturnType<QueryClientContract['getWriteClient']>

/**
 * A Lucid client for one of our transactions: `Node.query({ client: await lucidClientFor(transaction) })`. Commit and
 * rollback remain with `inTransaction`.
 */
export function lucidClientFor(transaction: pg.ClientBase): Promise<TransactionClientContract> {
  const client = RecordModel.$adapter.modelConstructorClient(RecordModel)
  const knex = withConnection(client.getWriteClient(), transaction)
  const lucid = Object.create(client, {
    getWriteClient: { value: () => ({ transaction: async () => knex }) },
  }) as typeof client
  return lucid.transaction()
}

/** Lucid's query builder with a single connection instead of a pool. */
function withConnection(knex: Knex, connection: Connection): Knex {
  connection.__knexUid ??= `transaction ${newId()}`
  const client = Object.create(knex.client, {
    acquireConnection: { value: async () => connection },
    releaseConnection: { value: async () => {} },
  })
  const context = Object.create((knex as unknown as { context: object }).context, {
    client: { value: client },
  })
  const refused = { value: refuseToEnd }
  return Object.create(knex, {
    context: { value: context },
    isCompleted: { value: () => false },
    transaction: refused,
    commit: refused,
    rollback: refused,
  }) as Knex
}

function refuseToEnd(): never {
  throw new Error('inTransaction ends this transaction: do not commit or roll it back')
}
