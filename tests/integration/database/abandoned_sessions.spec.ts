import { test } from '@japa/runner'

import { DatabasePool } from '#database/database_pool'
import { inSnapshot } from '#telemetry/trail/snapshot'
import { realTime } from '#tests/helpers/real_time'

type Cleanup = (work: () => Promise<void>) => void

function openPool(cleanup: Cleanup, options?: string): DatabasePool {
  const url = new URL(process.env.DATABASE_URL!)
  if (options) {
    url.searchParams.set('options', options)
  }
  const pool = new DatabasePool({ connectionString: url.href, size: 6 })
  pool.on('error', () => {})
  cleanup(() => pool.end())
  return pool
}

async function limitsOf(pool: DatabasePool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings
     where name like 'tcp_%' or name = 'idle_in_transaction_session_timeout'`
  )
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

test.group('Sessions of clients that went away', () => {
  test('the server gives them up within seconds', async ({ assert, cleanup }) => {
    assert.containSubset(await limitsOf(openPool(cleanup)), {
      tcp_keepalives_idle: '2',
      tcp_keepalives_interval: '1',
      tcp_keepalives_count: '3',
      tcp_user_timeout: '5000',
      idle_in_transaction_session_timeout: '30000',
    })
  })

  test('what the address of the database says counts more', async ({ assert, cleanup }) => {
    const limits = await limitsOf(openPool(cleanup, '-c tcp_user_timeout=60000'))

    assert.containSubset(limits, { tcp_user_timeout: '60000', tcp_keepalives_idle: '2' })
  })

  test('an abandoned transaction does not keep its locks', async ({ assert, cleanup }) => {
    const pool = openPool(cleanup)
    await pool.query('create table held (id int primary key); insert into held values (1)')
    cleanup(async () => void (await pool.query('drop table held')))
    const stalled = openPool(cleanup, '-c idle_in_transaction_session_timeout=100')
    const client = await stalled.connect()
    await client.query('begin')
    await client.query('update held set id = 2')

    const { rowCount } = await pool.query('update held set id = 3')

    assert.equal(rowCount, 1)
    const end = await client.query('commit').catch((error: Error) => error)
    client.release(true)
    assert.instanceOf(end, Error)
  })

  test('a snapshot of the audit trail, which locks nothing, lasts while a store is read', async ({
    assert,
    cleanup,
  }) => {
    const pool = openPool(cleanup, '-c idle_in_transaction_session_timeout=100')

    const { rowCount } = await inSnapshot(pool, async (client) => {
      await realTime(300, 'PostgreSQL would have ended the session')
      return client.query('select 1')
    })

    assert.equal(rowCount, 1)
  })
})
