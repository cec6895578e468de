import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'
import pg from 'pg'

import { isTransactionOpen } from '#records/open_transaction'
import { afterCommit, inTransaction, TransactionLost } from '#records/transaction'

test.group('Transactions', (group) => {
  let pool: pg.Pool

  group.setup(() => {
    pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 })
    return () => pool.end()
  })

  test('are known to be open by whatever is called from them, and by nothing else', async ({
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

  test('that fail are over as well', async ({ assert }) => {
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

  test('end for what they only set off', async ({ assert }) => {
    let later: Promise<boolean> | undefined
    await inTransaction(pool, async () => {
      later = delay(50).then(isTransactionOpen)
    })
    assert.isFalse(await later)
  })

  test('of others say nothing about one’s own', async ({ assert }) => {
    const [inside, outside] = await Promise.all([
      inTransaction(pool, () => delay(50).then(isTransactionOpen)),
      delay(25).then(isTransactionOpen),
    ])
    assert.isTrue(inside)
    assert.isFalse(outside)
  })

  test('whose failed statement was passed over do not end as if they were kept', async ({
    assert,
  }) => {
    const passedOver = inTransaction(pool, async (transaction) => {
      await transaction.query('select 1 / 0').catch(() => {})
    })
    const failure = await passedOver.catch((error: unknown) => error)
    assert.instanceOf(failure, TransactionLost)
  })

  test('what follows a commit happens after it, and only then', async ({ assert }) => {
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
})
