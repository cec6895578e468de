import { test } from '@japa/runner'

import { newMessage, serializeMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { SEALED_COLUMNS } from '#core/registries/sealed_columns'
import { OUTBOX_SEALED_COLUMNS as WAITING } from '#outbox/payloads/sealed_columns'
import { reseal, type SealedColumn } from '#records/resealing'
import { Sealing } from '#records/sealing'
import { emptyDatabase } from '#tests/helpers/database/empty_database'

const FORMER = 'the key that was used until today, long enough'
const CURRENT = 'the key that is used from today on, long enough'
const GONE = 'a key that nobody has any more, and long enough'

const before = new Sealing([FORMER])
const during = new Sealing([CURRENT, FORMER])
const after = new Sealing([CURRENT])

/** More than are looked at in one portion. */
const MANY = 1_200

const HOOKS = SEALED_COLUMNS.find(({ table }) => table === 'registry_hooks')!
const LINKS = SEALED_COLUMNS.find(({ table }) => table === 'registry_links')!

test.group('A change of the application key', (group) => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>

  group.each.setup(async () => {
    database = await emptyDatabase()
    await database.migrate('bus', 'core')
    return () => database.stop()
  })

  const valuesOf = async ({ table, column, read = column }: SealedColumn) => {
    const text = `select ${read} as value from ${table} where ${read} is not null`
    const { rows } = await database.pool.query<{ value: string }>(text)
    return rows.map(({ value }) => value)
  }
  const opened = async (place: SealedColumn, sealing: Sealing) =>
    (await valuesOf(place)).map((value) => sealing.unseal(place.purpose, value)).sort()

  async function registries(count: number, sealing = before): Promise<string[]> {
    const secrets = Array.from({ length: count }, (_, n) => `secret ${n}`)
    await database.pool.query(
      `with made as (
         insert into registries (id, name, host) select gen_random_uuid(), name, name from unnest($1::text[]) name
         returning id, name)
       insert into registry_hooks (registry_id, secret)
       select id, sealed from made join unnest($1::text[], $2::text[]) as s (name, sealed) using (name)`,
      [secrets, secrets.map((secret) => sealing.seal('registry hook', secret))]
    )
    return secrets.sort()
  }

  test('the change reaches every column with the name of a secret', async ({ assert }) => {
    const { rows } = await database.pool.query(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'public' and column_name ~ 'secret|password|token' order by 1, 2`
    )
    assert.sameDeepMembers(
      rows,
      SEALED_COLUMNS.map(({ table, column }) => ({ table, column }))
    )
  })

  test('the change seals anew what the former key has sealed, and nothing twice', async ({
    assert,
  }) => {
    const secrets = await registries(MANY)

    const first = await reseal(database.pool, HOOKS, { sealing: during })
    const second = await reseal(database.pool, HOOKS, { sealing: during })

    assert.deepEqual(first, { resealed: MANY, current: 0, unreadable: 0 })
    assert.deepEqual(second, { resealed: 0, current: MANY, unreadable: 0 })
    assert.deepEqual(await opened(HOOKS, after), secrets)
  })

  test('the change continues where it was interrupted', async ({ assert }) => {
    const secrets = await registries(MANY)
    const stop = new AbortController()
    const interrupted = reseal(database.pool, HOOKS, {
      sealing: during,
      signal: stop.signal,
      progress: () => stop.abort(),
    })
    await assert.rejects(() => interrupted)
    assert.deepEqual(await opened(HOOKS, during), secrets)

    const { resealed, current } = await reseal(database.pool, HOOKS, { sealing: during })

    assert.isAbove(current, 0)
    assert.equal(resealed + current, MANY)
    assert.deepEqual(await opened(HOOKS, after), secrets)
  })

  test('the change counts without writing where it is a dry run', async ({ assert }) => {
    const secrets = await registries(3)

    const counts = await reseal(database.pool, HOOKS, { sealing: during, dryRun: true })

    assert.deepEqual(counts, { resealed: 3, current: 0, unreadable: 0 })
    assert.deepEqual(await opened(HOOKS, before), secrets)
  })

  test('the change leaves what no key opens as it is, and says how many there are', async ({
    assert,
  }) => {
    await registries(2, new Sealing([GONE]))
    const values = await valuesOf(HOOKS)

    const counts = await reseal(database.pool, HOOKS, { sealing: during })

    assert.deepEqual(counts, { resealed: 0, current: 0, unreadable: 2 })
    assert.deepEqual(await valuesOf(HOOKS), values)
  })

  test('the change does not undo what is written meanwhile', async ({ assert }) => {
    await registries(1)
    const client = await database.pool.connect()
    await client.query('begin')
    const newer = before.seal('registry hook', 'newer')
    await client.query('update registry_hooks set secret = $1', [newer])

    const resealing = reseal(database.pool, HOOKS, { sealing: during })
    await untilWaiting()
    await client.query('commit')
    client.release()
    await resealing

    assert.deepEqual(await valuesOf(HOOKS), [newer])
    await reseal(database.pool, HOOKS, { sealing: during })
    assert.deepEqual(await opened(HOOKS, after), ['newer'])
  })

  test('the change reaches rows that are known by two columns', async ({ assert }) => {
    await registries(2)
    await database.pool.query(
      `insert into registry_links (registry_id, external_name, new_secret)
       select id, 'one', $1 from registries union all select id, 'two', null from registries`,
      [before.seal('chosen registry secret', 'chosen')]
    )
    const counts = await reseal(database.pool, LINKS, { sealing: during })

    assert.equal(counts.resealed, 2)
    assert.deepEqual(await opened(LINKS, after), ['chosen', 'chosen'])
  })

  test('the change changes nothing of commands that wait and of letters but what is sealed', async ({
    assert,
  }) => {
    const command = newMessage(commandRouting(COMMAND_QUEUES.registry), 'PROJECT_LINK', {
      secret: null,
    })
    const content = `{ "command": ${JSON.stringify(command)}, "secrets": "${before.seal('waiting command', '[]')}" }`
    await database.pool.query(
      `insert into outbox (pending, message_id, ordered_by, queue, content) values
         (16, $1, 'x', 'registryCommands', $2), (1, 'y', 'y', null, '{"security":{}}')`,
      [command.id, content]
    )
    const letter = before.seal('dead letter', serializeMessage(command).toString('base64'))
    await database.pool.query(
      `insert into dead_letters (id, queue, message_id, reason, attempts, body)
       values ('l', 'registryCommands', $1, 'none', 1, $2)`,
      [command.id, Buffer.from(letter)]
    )
    for (const place of WAITING) {
      const counts = await reseal(database.pool, place, { sealing: during })
      assert.deepEqual(counts, { resealed: 1, current: 0, unreadable: 0 }, place.table)
      const values = await opened(place, after)
      assert.isString(values[0])
    }
    const { rows } = await database.pool.query(
      'select content::text as content from outbox order by position'
    )
    const secrets = JSON.parse(rows[0].content).secrets
    assert.equal(rows[0].content, content.replace(JSON.parse(content).secrets, secrets))
    assert.equal(rows[1].content, '{"security":{}}')
  })

  /** Until the update of the change waits for that of another. */
  async function untilWaiting(): Promise<void> {
    for (;;) {
      const { rowCount } = await database.pool.query(
        `select from pg_locks join pg_stat_activity using (pid)
         where not granted and locktype = 'transactionid' and datname = current_database()`
      )
      if (rowCount! > 0) {
        return
      }
    }
  }
})
