import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'
import type pg from 'pg'

import { DatabasePool } from '#database/database_pool'
import { inTransaction } from '#records/transaction'
import { pidOf as pidOfSession, untilBlocking } from '#tests/helpers/database/blocked_sessions'

type Cleanup = (work: () => Promise<void>) => void

/** The pool size that yields the given number of read connections. */
function poolOf(lanes: number, cleanup: Cleanup): DatabasePool {
  const pool = new DatabasePool({ connectionString: process.env.DATABASE_URL, size: lanes * 3 })
  pool.on('error', () => {})
  cleanup(() => pool.end())
  return pool
}

async function pidOf(pool: DatabasePool): Promise<number> {
  const { rows } = await pool.read<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })
  return rows[0]!.pid
}

function sleep(pool: DatabasePool, seconds: number): Promise<pg.QueryResult> {
  return pool.read({ text: 'select pg_sleep($1)', values: [seconds] })
}

test.group('Reads that share connections', () => {
  test('each gets its own answer', async ({ assert, cleanup }) => {
    const pool = poolOf(2, cleanup)
    const numbers = Array.from({ length: 500 }, (_, number) => number)
    const answers = await Promise.all(
      numbers.map((number) =>
        pool.read({ name: 'number', text: 'select $1::int as number', values: [number] })
      )
    )
    assert.deepEqual(
      answers.map(({ rows }) => rows[0]!.number),
      numbers
    )
  })

  test('reads of one turn share one connection', async ({ assert, cleanup }) => {
    const pool = poolOf(3, cleanup)
    const pids = await Promise.all(Array.from({ length: 20 }, () => pidOf(pool)))
    assert.lengthOf(new Set(pids), 1)
  })

  test('a failing read does not affect others on its connection', async ({ assert, cleanup }) => {
    const pool = poolOf(1, cleanup)
    const results = await Promise.allSettled([
      pool.read({ text: 'select 1 as one' }),
      pool.read({ text: 'select 1 / $1::int', values: [0] }),
      pool.read({ name: 'wrong', text: 'select nothing_of_this_name' }),
      pool.read({ text: 'select 2 as two' }),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled']
    )
  })

  test('a slow read does not delay later ones', async ({ assert, cleanup }) => {
    const pool = poolOf(2, cleanup)
    const other = await pool.connect()
    await other.query('begin')
    await other.query('select pg_advisory_xact_lock(1)')
    let isOver = false
    const slow = pool
      .read({ text: 'select pg_advisory_xact_lock(1)' })
      .finally(() => (isOver = true))
    await untilBlocking(pool, await pidOfSession(other))
    for (let read = 0; read < 20; read++) {
      await pidOf(pool)
    }
    assert.isFalse(isOver)
    await other.query('commit')
    other.release()
    await slow
  })

  test('a connection that ends fails its reads in flight, and is replaced', async ({
    assert,
    cleanup,
  }) => {
    const pool = poolOf(1, cleanup)
    const pid = await pidOf(pool)
    const lost = assert.rejects(() => sleep(pool, 30))
    await pool.query('select pg_terminate_backend($1)', [pid])
    await lost
    assert.notEqual(await pidOf(pool), pid)
  })

  test('an unavailable database fails each read with the reason', async ({ assert, cleanup }) => {
    const nowhere = new DatabasePool({ host: '127.0.0.1', port: 1, size: 3 })
    const reasons: string[] = []
    nowhere.on('error', (error) => void reasons.push(error.message))
    cleanup(() => nowhere.end())
    const failures = [await pidOf(nowhere).catch(String), await pidOf(nowhere).catch(String)]
    failures.forEach((failure) => assert.match(failure as string, /Connection terminated/))
    reasons.forEach((reason) => assert.match(reason, /ECONNREFUSED|Connection terminated/))
    assert.match(reasons.join(), /ECONNREFUSED/)
  })

  test('connections that are shared count as connections', async ({ assert, cleanup }) => {
    const pool = poolOf(2, cleanup)
    const working = Array.from({ length: 12 }, () => pool.query('select pg_sleep(0.2)'))
    await Promise.all([pidOf(pool), sleep(pool, 0.2), nextTurn().then(() => pidOf(pool))])
    assert.equal(pool.totalCount, 4)
    await Promise.all(working)
  })

  test('a pool too small for sharing reads on its own connections', async ({ assert, cleanup }) => {
    const pool = new DatabasePool({ connectionString: process.env.DATABASE_URL, size: 1 })
    cleanup(() => pool.end())
    assert.isNumber(await pidOf(pool))
    assert.equal(pool.totalCount, 1)
  })
})

test.group('An exclusive connection', () => {
  test('a connection fails its borrower when it breaks, and no other', async ({
    assert,
    cleanup,
  }) => {
    const pool = poolOf(1, cleanup)
    const lost = inTransaction(pool, async (transaction) => {
      const ended = new Promise<void>((resolve) => void transaction.once('end', resolve))
      await pool.query('select pg_terminate_backend($1)', [await pidOfSession(transaction)])
      await ended
      await transaction.query('select 1')
    })
    await assert.rejects(() => lost)
    assert.isNumber(await pidOf(pool))
  })
})
