import { readdirSync } from 'node:fs'

import { test } from '@japa/runner'
import pg from 'pg'

import { migrate } from '#database/migrator'
import { SURFACE_NAMES } from '#configuration/surfaces'
import { boot } from '#tests/helpers/application'

const FOLDER = new URL('../../database/migrations/', import.meta.url)

const written = () =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

async function schema(): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  const { rows } = await client.query(
    `select table_name, column_name, data_type from information_schema.columns
     where table_schema = 'public' order by 1, 2`
  )
  await client.end()
  return rows
}

test.group('Migrations', () => {
  test('migrations run a second time change nothing', async ({ assert }) => {
    const app = await boot()
    const before = await schema()
    assert.deepEqual(await migrate(app, SURFACE_NAMES), [])
    assert.deepEqual(await schema(), before)
  })

  test('migrations of processes that start together wait for each other', async ({ assert }) => {
    const app = await boot()
    const runs = await Promise.all([1, 2, 3].map(() => migrate(app, SURFACE_NAMES)))
    assert.deepEqual(runs.flat(), [])
  })

  test('each table keeps the names of those that ran, which are those that are written', async ({
    assert,
  }) => {
    await boot()
    const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
    await client.connect()
    const surfaces = [...new Set(written().map((file) => file.split('/')[0]!))]
    const ran: string[] = []
    for (const surface of surfaces) {
      const { rows } = await client.query(`select name from ${surface}_migrations`)
      ran.push(...rows.map(({ name }) => `${String(name).replace('database/migrations/', '')}.ts`))
    }
    await client.end()
    assert.sameMembers(ran, written())
  })
})
