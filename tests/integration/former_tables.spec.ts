import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'
import type pg from 'pg'

import type { DatabasePart } from '#backup/manifest'
import { requireContinuableTables } from '#backup/restoring/requirements'
import { currentMigrations, FormerTables } from '#database/former_migrations'
import { Ace } from '#tests/helpers/ace'
import { catalogOf } from '#tests/helpers/database/catalog'
import { emptyDatabase } from '#tests/helpers/database/empty_database'
import { formerDatabase } from '#tests/helpers/database/former_database'

const FIRST = 'database/migrations/core/001_create_core'
const REGISTRY = '00000000-0000-4000-8000-000000000001'

/** The tables of migrations differ: they name what ran. */
const declaredIn = async (pool: pg.Pool) =>
  (await catalogOf(pool)).filter((line) => !/^\w+_migrations/.test(line))

/** Rows in renamed tables and columns, as a former version left them. */
async function fill(pool: pg.Pool): Promise<void> {
  await pool.query(`
    insert into registries (id, name, host) values ('${REGISTRY}', 'one', 'one.example');
    insert into registry_links (registry_id, external_name, is_detached) values ('${REGISTRY}', 'left', true);
    insert into tasks (queue, key, data, due_at) values ('registry-link', 'left', '{}', now());
    insert into adoption_runs (surface) values ('core');
    insert into adopted_tables (table_name, position) values ('registries', '["${REGISTRY}"]');
    insert into adopted_rows (table_name, id, digest) values ('registries', '${REGISTRY}', 'x')`)
}

async function contentOf(pool: pg.Pool): Promise<unknown[]> {
  const tables = ['registries', 'registry_links', 'tasks', 'adoption_runs', 'adopted_tables']
  const found = [...tables, 'adopted_rows', 'record_total_changes'].map(async (table) => {
    const { rows } = await pool.query(`select to_jsonb(t) as row from ${table} t order by 1`)
    return rows
  })
  return Promise.all(found)
}

const migrate = (url: string) => Ace.run(['hub:migrate'], { DATABASE_URL: url })

async function namesIn(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query(`select name from core_migrations order by id`)
  return rows.map(({ name }) => name)
}

test.group('Tables of the last version with many migrations', (group) => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>

  group.each.setup(async () => {
    database = await formerDatabase()
    return () => database.stop()
  })

  test('databases continue with their data, as new ones do, whoever starts at the same time', async ({
    assert,
    cleanup,
  }) => {
    await fill(database.pool)
    const before = await contentOf(database.pool)
    const ends = await Promise.all([1, 2].map(() => migrate(database.url)))
    ends.forEach(({ code, output }) => assert.equal(code, 0, output))
    assert.isTrue(ends.every(({ output }) => output.includes('0 migrations ran')))
    const names = await namesIn(database.pool)
    assert.deepEqual(
      names.filter((name) => name === FIRST),
      [FIRST]
    )
    assert.deepEqual(await contentOf(database.pool), before)

    const fresh = await emptyDatabase()
    cleanup(() => fresh.stop())
    await fresh.migrate('bus', 'core', 'identity', 'messenger', 'storage', 'telemetry')
    assert.deepEqual(await declaredIn(database.pool), await declaredIn(fresh.pool))
  })

  test('tables of an older version stay as they are, and the version to run first is named', async ({
    assert,
  }) => {
    await database.pool.query(
      `delete from core_migrations where name like '%/126_rename_to_plain_words'`
    )
    const { code, output } = await migrate(database.url)
    assert.equal(code, 1, output)
    assert.match(output, /last of core_migrations is .*125_.*git switch --detach [0-9a-f]{40}/s)
    assert.notInclude(await namesIn(database.pool), FIRST)
  })

  test('tables are restored from a backup', async ({ assert, cleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'hub-former-backup-'))
    const restored = await emptyDatabase()
    cleanup(async () => {
      await restored.stop()
      await rm(folder, { recursive: true, force: true })
    })
    await fill(database.pool)
    const variables = { STORAGE_PATH: join(folder, 'objects'), DATA_DIR: folder }
    const at = `${join(folder, 'backup')}`
    const taken = await Ace.run(['backup', `--to=${at}`], {
      ...variables,
      DATABASE_URL: database.url,
    })
    assert.equal(taken.code, 0, taken.output)
    const { code, output } = await Ace.run(['restore', `--from=${at}`], {
      ...variables,
      DATABASE_URL: restored.url,
    })
    assert.equal(code, 0, output)
    const [registries, links] = await contentOf(restored.pool)
    assert.deepEqual([registries, links], (await contentOf(database.pool)).slice(0, 2))
    assert.deepEqual(await namesIn(restored.pool), [FIRST])
  })

  test('tables are recognised as those of the first migration; older ones are not', ({
    assert,
  }) => {
    const named = (name: string) => `database/migrations/bus/${name}`
    const [older, last, first] = [
      '001_create_outbox',
      '021_rename_to_plain_words',
      '001_create_bus',
    ]
    const current = (...names: string[]) => currentMigrations('bus_migrations', names.map(named))
    assert.deepEqual(current(), [])
    assert.deepEqual(current(older!, last!), [named(first!)])
    assert.deepEqual(current(older!, last!, first!), [named(first!)])
    assert.deepEqual(current(first!, '002_add_something'), [first!, '002_add_something'].map(named))
    assert.throws(() => current(older!), FormerTables)
  })

  test('a backup with older tables is refused before anything is written', ({ assert }) => {
    const backupOf = (...names: string[]) => ({
      databases: [
        {
          migrations: { core_migrations: names.map((name) => `database/migrations/core/${name}`) },
        } as unknown as DatabasePart,
      ],
    })
    requireContinuableTables(backupOf('001_create_nodes', '126_rename_to_plain_words'))
    assert.throws(() => requireContinuableTables(backupOf('001_create_nodes')), FormerTables)
  })
})
