import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'
import type pg from 'pg'

import { DatabasePool } from '#database/database_pool'
import { databaseFailure } from '#kernel/database_failures'
import { ServiceUnavailable } from '#kernel/failures'
import { isTransactionOpen } from '#records/transaction_scope'
import {
  afterCommit,
  inTransaction,
  deferToCommit,
  concurrently,
  TransactionLost,
} from '#records/transaction'

test.group('Transactions', (group) => {
  let pool: DatabasePool

  group.setup(async () => {
    pool = new DatabasePool({ connectionString: process.env.DATABASE_URL, size: 2 })
    await pool.query('create table noted (what text primary key check (length(what) < 20))')
    return async () => {
      await pool.query('drop table noted')
      await pool.end()
    }
  })

  group.each.setup(() => async () => {
    await pool.query('truncate noted')
  })

  const note = (transaction: Pick<pg.ClientBase, 'query'>, what: string) =>
    transaction.query('insert into noted values ($1)', [what])

  const noted = async () => {
    const { rows } = await pool.query<{ what: string }>('select what from noted order by what')
    return rows.map(({ what }) => what)
  }

  const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)

  test('transactions are visible as open to the code they call, and to nothing else', async ({
    assert,
  }) => {
    assert.isFalse(isTransactionOpen())
    let beside: Promise<boolean> | undefined
    await inTransaction(pool, async (transaction) => {
      beside ??= Promise.resolve().then(isTransactionOpen)
      await transaction.query('select 1')
      assert.isTrue(isTransactionOpen())
    })
    assert.isTrue(await beside)
    assert.isFalse(isTransactionOpen())
  })

  test('that fail are closed as well', async ({ assert }) => {
    await assert.rejects(() => inTransaction(pool, () => Promise.reject(new Error('no'))), 'no')
    assert.isFalse(isTransactionOpen())
    assert.equal(pool.idleCount, pool.totalCount)
  })

  test('inside one another leave the outer one open', async ({ assert }) => {
    await inTransaction(pool, async () => {
      await inTransaction(pool, async (inner) => inner.query('select 1'))
      assert.isTrue(isTransactionOpen())
    })
  })

  test('transactions are closed for code that they start without awaiting', async ({ assert }) => {
    const { promise: committed, resolve: onCommit } = Promise.withResolvers<void>()
    let later: Promise<boolean> | undefined
    await inTransaction(pool, async () => {
      later = committed.then(isTransactionOpen)
      assert.isTrue(isTransactionOpen())
    })
    onCommit()
    assert.isFalse(await later)
  })

  test('transactions of other callers are not visible', async ({ assert }) => {
    const started = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const inside = inTransaction(pool, async () => {
      started.resolve()
      await finish.promise
      return isTransactionOpen()
    })
    await started.promise
    assert.isFalse(isTransactionOpen())
    finish.resolve()
    assert.isTrue(await inside)
  })

  test('transactions do not report success after an ignored failure of a statement', async ({
    assert,
  }) => {
    const passedOver = inTransaction(pool, async (transaction) => {
      await transaction.query('select 1 / 0').catch(() => {})
    })
    const failure = await passedOver.catch((error: unknown) => error)
    assert.instanceOf(failure, TransactionLost)
  })

  test('commit callbacks run after the commit only', async ({ assert }) => {
    const done: string[] = []
    await inTransaction(pool, async (transaction) => {
      afterCommit(transaction, () => done.push('kept'))
      assert.isEmpty(done)
    })
    const dropped = inTransaction(pool, async (transaction) => {
      afterCommit(transaction, () => done.push('dropped'))
      throw new Error('no')
    })
    await assert.rejects(() => dropped, 'no')
    assert.deepEqual(done, ['kept'])
  })

  test('only the commit awaits a deferred statement', async ({ assert }) => {
    await inTransaction(pool, async (transaction) => {
      await deferToCommit(transaction, note(transaction, 'last'))
      await note(transaction, 'after it')
    })
    assert.deepEqual(await noted(), ['after it', 'last'])
  })

  test('a failing deferred statement rolls everything back', async ({ assert }) => {
    const failed = inTransaction(pool, async (transaction) => {
      await note(transaction, 'first')
      await deferToCommit(transaction, note(transaction, 'much too long for this table'))
    })
    assert.propertyVal(await failureOf(failed), 'constraint', 'noted_what_check')
    assert.isEmpty(await noted())
  })

  test('the root cause is reported', async ({ assert }) => {
    const failed = inTransaction(pool, async (transaction) => {
      await deferToCommit(transaction, note(transaction, 'much too long for this table'))
      await note(transaction, 'refused because of it')
    })
    assert.propertyVal(await failureOf(failed), 'constraint', 'noted_what_check')
    const another = inTransaction(pool, (transaction) =>
      concurrently(
        nextTurn().then(() => note(transaction, 'refused because of it')),
        note(transaction, 'much too long for this table')
      )
    )
    assert.propertyVal(await failureOf(another), 'constraint', 'noted_what_check')
  })

  /** Runs two transactions that deadlock; returns how often each was started. */
  const crossing = async (first: (transaction: pg.ClientBase) => void = () => {}) => {
    await pool.query(`insert into noted values ('a'), ('b')`)
    const bothHold = Promise.withResolvers<void>()
    const started = { a: 0, b: 0 }
    const holding = new Set<string>()
    const change = (what: 'a' | 'b', then: 'a' | 'b') =>
      inTransaction(pool, async (transaction) => {
        started[what] += 1
        first(transaction)
        await transaction.query('update noted set what = what where what = $1', [what])
        if (holding.add(what).size === 2) {
          bothHold.resolve()
        }
        await bothHold.promise
        await transaction.query(`update noted set what = what || '+' where what like $1`, [
          `${then}%`,
        ])
      })
    await Promise.all([change('a', 'b'), change('b', 'a')])
    return started
  }

  test('in a deadlock both succeed: the aborted one is retried', async ({ assert }) => {
    const done: string[] = []
    const started = await crossing((transaction) =>
      afterCommit(transaction, () => done.push('kept'))
    )
    assert.deepEqual(await noted(), ['a+', 'b+'])
    assert.isAbove(started.a + started.b, 2)
    assert.deepEqual(done, ['kept', 'kept'])
    assert.equal(pool.idleCount, pool.totalCount)
  })

  test('with a serialization failure are retried', async ({ assert }) => {
    await note(pool, 'once')
    let started = 0
    await inTransaction(pool, async (transaction) => {
      started += 1
      await transaction.query('set transaction isolation level repeatable read')
      await transaction.query('select 1')
      if (started === 1) {
        await pool.query(`update noted set what = 'twice'`)
      }
      await transaction.query(`update noted set what = what || '+'`)
    })
    assert.equal(started, 2)
    assert.deepEqual(await noted(), ['twice+'])
  })

  test('requests that keep failing are abandoned with a retryable error', async ({ assert }) => {
    let started = 0
    const failed = inTransaction(pool, (transaction) => {
      started += 1
      return transaction.query(`do $$ begin raise exception 'no' using errcode = '40P01'; end $$`)
    })
    const failure = databaseFailure(await failureOf(failed))
    assert.instanceOf(failure, ServiceUnavailable)
    assert.property(failure!.headers, 'retry-after')
    assert.equal(started, 5)
  })

  test('that fail for another reason are not retried', async ({ assert }) => {
    let started = 0
    const failed = inTransaction(pool, (transaction) => {
      started += 1
      return note(transaction, 'much too long for this table')
    })
    assert.propertyVal(await failureOf(failed), 'code', '23514')
    assert.equal(started, 1)
  })

  test('concurrent parts settle before the transaction ends', async ({ assert }) => {
    const finish = Promise.withResolvers<void>()
    let isOver = false
    const failed = inTransaction(pool, (transaction) =>
      concurrently(
        Promise.reject(new Error('no')),
        finish.promise.then(() => note(transaction, 'too late'))
      )
    ).finally(() => (isOver = true))
    const rejected = assert.rejects(() => failed, 'no')
    await pool.query('select 1')
    assert.isFalse(isOver)
    finish.resolve()
    await rejected
    assert.isEmpty(await noted())
  })
})

test.group('Connections of the pool', () => {
  test('pipeline the statements of one turn, and answer in order', async ({ assert }) => {
    const pool = new DatabasePool({ connectionString: process.env.DATABASE_URL, size: 1 })
    const client = (await pool.connect()) as pg.PoolClient & Pick<pg.Client, 'connection'>
    const stream = client.connection.stream as Socket
    const before = stream.bytesWritten - stream.writableLength
    const answers = [1, 2, 3].map(
      async (n) => (await client.query('select $1::int as n', [n])).rows
    )
    assert.equal(stream.bytesWritten - stream.writableLength, before)
    assert.deepEqual(await Promise.all(answers), [[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]])
    client.release()
    await pool.end()
  })
})
