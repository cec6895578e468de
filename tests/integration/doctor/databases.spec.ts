import { Hash } from '@adonisjs/core/hash'
import { Scrypt } from '@adonisjs/core/hash/drivers/scrypt'
import { test } from '@japa/runner'

import { credentialsCheck } from '#doctor/checks/credentials'
import { clockCheck } from '#doctor/checks/clock'
import { databaseCheck } from '#doctor/checks/database'
import { deadLettersCheck } from '#doctor/checks/dead_letters'
import { defaultSecretsCheck } from '#doctor/checks/default_secrets'
import { indexesCheck } from '#doctor/checks/indexes'
import { migrationsCheck } from '#doctor/checks/migrations'
import { outboxCheck } from '#doctor/checks/outbox'
import { providerCheck } from '#doctor/checks/provider'
import { digestOf } from '#identity/embedded/client_secrets'
import { overrideClock } from '#kernel/clock'
import { examined, found } from '#tests/helpers/doctor'
import { emptyDatabase } from '#tests/helpers/database/empty_database'

const REALM = '11111111-1111-4111-8111-111111111111'

test.group('The doctor | databases', (group) => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>

  group.each.setup(async () => {
    database = await emptyDatabase()
    return () => database.stop()
  })

  const query = (text: string, values?: unknown[]) => database.pool.query(text, values)
  const findingsOf = (...checks: NonNullable<Parameters<typeof found>[0]['checks']>) =>
    found({ url: database.url, checks })

  test('a database that loses committed data, with too few connections', async ({ assert }) => {
    assert.deepEqual(await found({ checks: [databaseCheck], env: { DB_POOL: 1_000 } }), [
      'DATABASE_COMMIT_EARLY',
      'DATABASE_CONNECTIONS_FEW',
      'DATABASE_FSYNC_OFF',
      'DATABASE_PAGES_TORN',
    ])
  })

  test('an unavailable database is found once, and no password is shown', async ({ assert }) => {
    const url = 'postgres://hub:geheim@127.0.0.1:1/hub'
    const checks = [databaseCheck, migrationsCheck, indexesCheck, outboxCheck, deadLettersCheck]
    const report = await examined({ url, checks })
    assert.deepEqual(
      report.findings.map(({ code }) => code),
      ['DATABASE_UNREACHABLE']
    )
    assert.notInclude(JSON.stringify(report), 'geheim')
    assert.deepEqual(
      report.checks.map(({ state }) => state),
      ['found', ...checks.slice(1).map(() => 'not used')]
    )
  })

  test('tables that were not made yet, and tables of a newer version', async ({ assert }) => {
    assert.deepEqual(await findingsOf(migrationsCheck), ['DATABASE_BEHIND'])
    await query('create table core_migrations (id serial, name text, batch integer default 1)')
    await query(
      `insert into core_migrations (name) select 'database/migrations/core/' || name
       from unnest('{001_create_core,999_something_new}'::text[]) name`
    )
    assert.deepEqual(await findingsOf(migrationsCheck), ['DATABASE_AHEAD', 'DATABASE_BEHIND'])
    await query('delete from core_migrations where id = 1')
    const { findings } = await examined({ url: database.url, checks: [migrationsCheck] })
    assert.include(JSON.stringify(findings), 'too old for this version')
  })

  test('an index that is gone, and one that is not complete', async ({ assert }) => {
    await database.migrate('bus', 'core')
    assert.deepEqual(await findingsOf(indexesCheck), [])
    await query('drop index registries_created_at_value')
    await query(
      `insert into registries (id, name, host, account_name) select gen_random_uuid(), name, name, 'same' from unnest('{one,two}'::text[]) name`
    )
    await assert.rejects(() =>
      query('create unique index concurrently doubled on registries (account_name)')
    )
    const { findings } = await examined({ url: database.url, checks: [indexesCheck] })
    const text = findings.map(({ message }) => message).join('\n')
    assert.include(text, 'registries by created_at')
    assert.include(text, 'doubled of registries')
  })

  test('dead letters, and changes that are not published', async ({ assert }) => {
    await database.migrate('bus')
    assert.deepEqual(await findingsOf(deadLettersCheck, outboxCheck), [])
    await query(
      `insert into dead_letters (id, queue, reason, attempts, body) values ('l', 'registryCommands', 'none', 8, '')`
    )
    await query(
      `insert into outbox (written_at, pending, message_id, ordered_by, content)
       values (now() - interval '2 minutes', 1, 'm', 'm', '{}')`
    )
    assert.deepEqual(await findingsOf(deadLettersCheck, outboxCheck), [
      'DEAD_LETTERS',
      'OUTBOX_WAITS',
    ])
  })

  test('a clock that goes otherwise than ours', async ({ assert }) => {
    assert.deepEqual(await findingsOf(clockCheck), [])
    const release = overrideClock({ now: () => Date.now() + 60_000 })
    try {
      assert.deepEqual(await findingsOf(clockCheck), ['CLOCK_OF_DATABASE'])
    } finally {
      release()
    }
  })

  test('secrets that administrator and platform came with', async ({ assert }) => {
    await database.migrate('bus', 'identity')
    const password = await new Hash(new Scrypt({})).make('start123')
    await query(`insert into realms (id, name, built_in) values ($1, 'master', true)`, [REALM])
    await query(
      `insert into users (id, name, password, realm_id) values (gen_random_uuid(), 'admin', $2, $1)`,
      [REALM, password]
    )
    await query(
      `insert into clients (id, name, secret_digest, realm_id) values (gen_random_uuid(), 'system', $2, $1)`,
      [REALM, digestOf('start123')]
    )
    assert.deepEqual(await findingsOf(defaultSecretsCheck), [
      'SECRET_OF_ADMINISTRATOR',
      'SECRET_OF_CLIENT',
    ])
    await query(`update users set password = 'else'; update clients set secret_digest = 'else'`)
    assert.deepEqual(await findingsOf(defaultSecretsCheck), [])
  })

  test('keys of tokens that cannot be opened, and that are over', async ({ assert }) => {
    await database.migrate('bus', 'identity')
    await query(
      `insert into identity_signing_keys values ('k', '{}', 'sealed with another key', now() - interval '100 days')`
    )
    assert.deepEqual(
      await found({
        url: database.url,
        surfaces: ['identity'],
        checks: [providerCheck, credentialsCheck],
      }),
      ['CREDENTIALS_ENDING', 'PROVIDER_KEYS_UNREADABLE']
    )
  })
})
