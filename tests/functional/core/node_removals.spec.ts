import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { analysis } from '#core/analyses/analysis'
import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { clientWorker } from '#core/clients/client_worker'
import { coreReactions, removalSweeps } from '#core/removals'
import { ClientTasks } from '#core/clients/client_tasks'
import { identityProvider } from '#core/clients/identity_provider'
import { node } from '#core/nodes/node'
import { projectNode } from '#core/project_nodes/project_node'
import { project } from '#core/projects/project'
import { registryProject } from '#core/registry_projects/registry_project'
import { registry } from '#core/registries/registry'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { reactToChanges } from '#auth/reactions'
import type { PeopleDirectory, ProviderChange } from '#auth/provider'
import { runDueTasks } from '#jobs/tasks/task_worker'
import type { Kind } from '#records/kind'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, member, newRealm, uniqueName } from './node_scene.js'
import { eventually } from '#tests/helpers/eventually'

const pool = () => pools.for(databaseUrl('core'))
const running = new AbortController().signal

async function isThere({ table }: Kind, { id }: Attributes): Promise<boolean> {
  const { rowCount } = await pool().query(`select 1 from ${table} where id = $1`, [id])
  return rowCount === 1
}

async function read({ table }: Kind, { id }: Attributes) {
  const { rows } = await pool().query(`select * from ${table} where id = $1`, [id])
  return rows[0]
}

async function publishDeletion(type: 'realm' | 'user', id: string) {
  await (type === 'realm' ? coreReactions.realmDeleted(id) : coreReactions.userDeleted(id))
}

test.group('Deleted realms', () => {
  test('L15: remove their records, and no others', async ({ assert }) => {
    const [gone, staying] = await Promise.all([newRealm(), newRealm()])
    const theirs = { realmId: gone }
    const projectOfTheirs = await sampleRecord('core', project, theirs)
    const analysisOfTheirs = await sampleRecord('core', analysis, {
      ...theirs,
      projectId: projectOfTheirs.id,
    })
    const nodeOfTheirs = await sampleRecord('core', node, theirs)
    const registryProjectOfTheirs = await sampleRecord('core', registryProject, theirs)
    const ours = { realmId: staying }
    const projectOfOurs = await sampleRecord('core', project, { ...ours, nodes: 1 })
    const nodeOfOurs = await sampleRecord('core', node, ours)
    const part = await sampleRecord('core', projectNode, {
      projectId: projectOfOurs.id,
      nodeId: nodeOfTheirs.id,
    })
    const share = await sampleRecord('core', analysisNode, {
      analysisId: analysisOfTheirs.id,
      nodeId: nodeOfOurs.id,
    })

    await publishDeletion('realm', gone)

    for (const [kind, record] of [
      [project, projectOfTheirs],
      [analysis, analysisOfTheirs],
      [node, nodeOfTheirs],
      [registryProject, registryProjectOfTheirs],
      [projectNode, part],
      [analysisNode, share],
    ] as const) {
      assert.isFalse(await isThere(kind, record), kind.name)
    }
    assert.isTrue(await isThere(node, nodeOfOurs))
    assert.equal((await read(project, projectOfOurs)).nodes, 0)
    await publishDeletion('realm', gone)
  })

  test('L15: remove the clients and registry projects of their nodes', async ({ assert }) => {
    const realmId = await newRealm()
    const { headers } = member(realmId, ['node_create'])
    const { id: registryId } = await sampleRecord('core', registry)
    const { body } = await call('POST', '/nodes', {
      headers,
      body: { name: uniqueName(), registryId },
    })
    await publishDeletion('realm', realmId)
    const provider = await identityProvider()
    const options = {
      tasks: await app.container.make(ClientTasks),
      provider,
      logger: { warn() {} },
    }
    await runDueTasks(clientWorker(options))
    assert.notExists(await provider.clients!.read(body.data.clientId))
    const { rows } = await pool().query(
      `select content->'command'->>'type' as type from outbox
       where content->'command'->'data'->>'id' = $1 order by position`,
      [body.data.registryProjectId]
    )
    assert.equal(rows.at(-1).type, 'PROJECT_UNLINK')
  })

  test('deleted realms are found later if no process was running', async ({ assert }) => {
    const [gone, staying] = await Promise.all([clock.uuid(), newRealm()])
    const theirs = await sampleRecord('core', project, { realmId: gone })
    const ours = await sampleRecord('core', project, { realmId: staying })
    const others = new Set(await otherRealmsThan(gone))
    const people: PeopleDirectory = {
      showsEverybody: true,
      realmIds: async () => others,
      users: async () => new Map(),
      hasRealm: async (id) => others.has(id),
      hasUser: async () => false,
    }
    const [realms] = removalSweeps({
      people,
      whenReady: async () => {},
      introspect: async () => undefined,
      ownToken: async () => '',
    })
    assert.isAbove(await realms!.run(running), 0)
    assert.isFalse(await isThere(project, theirs))
    assert.isTrue(await isThere(project, ours))
  })
})

/** All realms that core refers to, except one. */
async function otherRealmsThan(gone: string): Promise<string[]> {
  const { rows } = await pool().query(
    `select realm_id as id from projects union select realm_id from nodes
     union select realm_id from analyses union select realm_id from registry_projects`
  )
  return rows.map(({ id }) => id as string).filter((id) => id && id !== gone)
}

test.group('Deleted users', () => {
  test('L15: are detached from their projects, analyses and files, which stay', async ({
    assert,
  }) => {
    const userId = clock.uuid()
    const records = [
      [project, await sampleRecord('core', project, { userId })],
      [analysis, await sampleRecord('core', analysis, { userId })],
      [analysisBucketFile, await sampleRecord('core', analysisBucketFile, { userId })],
    ] as const
    const other = await sampleRecord('core', project)
    await publishDeletion('user', userId)
    for (const [kind, record] of records) {
      assert.isNull((await read(kind, record)).user_id, kind.name)
    }
    assert.equal((await read(project, other)).user_id, other.userId)
  })
})

test.group('The client of registries', () => {
  test('the client relinks nothing when it changes: webhooks have their own secrets', async ({
    assert,
  }) => {
    const { id } = await sampleRecord('core', registryProject)
    let say: (change: ProviderChange) => void
    const provider: Parameters<typeof reactToChanges>[0] = {
      people: { hasUser: async () => false } as never,
      clients: { read: async () => ({ active: true }) } as never,
      onChange: async (listener) => {
        say = listener
        return async () => {}
      },
    }
    await reactToChanges(provider, coreReactions, {
      error: (details: unknown) => assert.fail(String(details)),
    })
    say!({
      type: 'client',
      event: 'updated',
      data: { id: clock.uuid(), name: 'registry' },
    })
    const userId = clock.uuid()
    const owned = await sampleRecord('core', project, { userId })
    say!({ type: 'user', event: 'deleted', data: { id: userId } })
    await eventually(async () => (await read(project, owned)).user_id === null)
    const { rows } = await pool().query(
      `select 1 from outbox where content->'command'->>'type' = 'PROJECT_LINK'
       and content->'command'->'data'->>'id' = $1`,
      [id]
    )
    assert.lengthOf(rows, 0)
  })
})
