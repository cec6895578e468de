import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'
import pg from 'pg'

import { boot } from '#tests/helpers/application'
import { dropDatabase } from '#tests/helpers/database/empty_database'

const PROGRAM = fileURLToPath(new URL('./boot_program.ts', import.meta.url))
const TABLES = ['bus_migrations', 'inbox', 'outbox']

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

async function busTables(url: string): Promise<unknown[]> {
  const rows = await query(
    url,
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_name in ('outbox', 'inbox', 'bus_migrations') order by 1`
  )
  return rows.map(({ name }) => name)
}

test.group('The tables of the bus', () => {
  test('the tables exist once in each database that surfaces use', async ({ assert, cleanup }) => {
    await boot()
    const shared = process.env.DATABASE_URL!
    await query(shared, 'create database "bus apart"')
    cleanup(() => dropDatabase('bus apart'))
    const apart = new URL(shared)
    apart.pathname = '/bus%20apart'

    const env = {
      ...process.env,
      STORAGE_DATABASE_URL: apart.href,
      TELEMETRY_DATABASE_URL: apart.href,
    }
    const child = spawn(process.execPath, [...process.execArgv, PROGRAM], {
      env,
      stdio: 'inherit',
    })
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
    assert.deepEqual(await busTables(apart.href), TABLES)
    assert.deepEqual(await busTables(shared), TABLES)
    const ran = 'select name, count(*)::int as times from bus_migrations group by 1'
    for (const url of [shared, apart.href]) {
      assert.isTrue((await query(url, ran)).every(({ times }) => times === 1))
    }
  }).timeout(60_000)
})
