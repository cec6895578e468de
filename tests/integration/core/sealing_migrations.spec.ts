import { test } from '@japa/runner'

import { newMessage, serializeMessage } from '#bus/message'
import { COMMAND_QUEUES, commandRouting } from '#bus/names'
import { SEALED_COLUMNS } from '#core/registries/sealed_columns'
import CreateOutbox from '#migrations/bus/001_create_outbox'
import CreateDeadLetters from '#migrations/bus/003_create_dead_letters'
import SealWhatWaits from '#migrations/bus/004_seal_what_waits'
import CreateRegistries from '#migrations/core/001_create_registries'
import CreateRegistryProjects from '#migrations/core/002_create_registry_projects'
import CreateRegistryLinks from '#migrations/core/020_create_registry_links'
import SealRegistrySecrets from '#migrations/core/021_seal_registry_secrets'
import CreateRegistryHooks from '#migrations/core/022_create_registry_hooks'
import CreateRegistryWorkers from '#migrations/core/071_create_registry_workers'
import AddMasterAccounts from '#migrations/core/073_add_master_accounts'
import { unsealCommand } from '#outbox/payloads/sealed_command'
import { unseal } from '#records/sealing'
import { emptyDatabase } from '#tests/helpers/database/empty_database'

const SECRET = 'Plain-until-now-1'
const REGISTRY = '00000000-0000-4000-8000-000000000001'

test.group('An installation with unsealed secrets', (group) => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>

  group.each.setup(async () => {
    database = await emptyDatabase()
    return () => database.stop()
  })

  const rows = async (text: string) => (await database.pool.query(text)).rows

  async function former(): Promise<void> {
    await database.up(CreateRegistries, CreateRegistryProjects, CreateRegistryLinks)
    await database.pool.query(
      `insert into registries (id, name, host, account_name, account_secret)
       values ($1, 'one', 'one.example', 'admin', $2)`,
      [REGISTRY, SECRET]
    )
    await database.pool.query(
      `insert into registry_projects (id, name, external_name, registry_id, account_secret, webhook_exists)
       values ($1, 'project', 'project', $1, $2, true)`,
      [REGISTRY, SECRET]
    )
    await database.pool.query(
      `insert into registry_links (registry_id, external_name, new_secret, settled_at)
       values ($1, 'project', $2, now())`,
      [REGISTRY, SECRET]
    )
  }

  test('seals all of them once, unchanged', async ({ assert }) => {
    await former()
    await database.up(
      SealRegistrySecrets,
      CreateRegistryHooks,
      CreateRegistryWorkers,
      AddMasterAccounts
    )
    for (const { table, column, purpose } of SEALED_COLUMNS) {
      for (const { sealed } of await rows(`select ${column} as sealed from ${table}`)) {
        assert.notInclude(sealed, SECRET)
        assert.equal(unseal(purpose, sealed), SECRET, table)
      }
    }
    await database.down(SealRegistrySecrets)
    const [{ account_secret: opened }] = await rows('select account_secret from registries')
    assert.equal(opened, SECRET)
  })

  test('every column with the name of a secret is sealed', async ({ assert }) => {
    await former()
    await database.up(
      SealRegistrySecrets,
      CreateRegistryHooks,
      CreateRegistryWorkers,
      AddMasterAccounts
    )
    const found = await rows(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'public' and column_name ~ 'secret|password|token' order by 1, 2`
    )
    assert.sameDeepMembers(
      found,
      SEALED_COLUMNS.map(({ table, column }) => ({ table, column }))
    )
  })

  test('relinks its webhooks and rotates the secret in them', async ({ assert }) => {
    await former()
    await database.up(SealRegistrySecrets, CreateRegistryHooks)
    const [{ due_at: dueAt }] = await rows('select due_at from registry_links')
    assert.isNotNull(dueAt)
    assert.lengthOf(await rows('select 1 from registry_client_renewals'), 1)
  })

  test('that never linked anything has nothing to rotate', async ({ assert }) => {
    await database.up(
      CreateRegistries,
      CreateRegistryProjects,
      CreateRegistryLinks,
      SealRegistrySecrets,
      CreateRegistryHooks
    )
    assert.isEmpty(await rows('select 1 from registry_client_renewals'))
  })

  test('seals pending commands and dead letters', async ({ assert }) => {
    await database.up(CreateOutbox, CreateDeadLetters)
    const command = newMessage(commandRouting(COMMAND_QUEUES.registry), 'PROJECT_LINK', {
      id: REGISTRY,
      secret: SECRET,
    })
    await database.pool.query(
      `insert into outbox (pending, message_id, ordered_by, queue, content) values
         (16, $1, 'x', 'registryCommands', $2), (1, 'y', 'y', null, '{"security":{}}')`,
      [command.id, JSON.stringify({ command })]
    )
    await database.pool.query(
      `insert into dead_letters (id, queue, message_id, reason, attempts, body)
       values ('l', 'registryCommands', $1, 'none', 1, $2)`,
      [command.id, serializeMessage(command)]
    )
    await database.up(SealWhatWaits)
    const [waiting] = await rows(`select content from outbox order by position`)
    assert.notInclude(JSON.stringify(waiting), SECRET)
    assert.deepEqual(unsealCommand(waiting.content), command)
    const [{ body }] = await rows('select body from dead_letters')
    assert.notInclude(body.toString(), SECRET)
    assert.notInclude(Buffer.from(body.toString(), 'base64').toString(), SECRET)
    await database.down(SealWhatWaits)
    assert.deepEqual((await rows('select content from outbox order by position'))[0].content, {
      command: JSON.parse(JSON.stringify(command)),
    })
  })
})
