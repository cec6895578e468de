import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { Signals } from '#signals/signals'
import { analysis } from '#core/analyses/analysis'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { clientWorker } from '#core/clients/client_worker'
import { ClientTasks } from '#core/clients/client_tasks'
import { identityProvider } from '#core/clients/identity_provider'
import { node } from '#core/nodes/node'
import { registry } from '#core/registries/registry'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { ensurePermissions, NODE_CLIENT_PERMISSIONS } from '#auth/client_permissions'
import { runDueTasks } from '#jobs/tasks/task_worker'
import { TaskRunner } from '#jobs/tasks/task_runner'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { clock } from '#kernel/clock'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, member, newRealm, uniqueName } from './node_scene.js'
import { admin } from './registry_scene.js'
import { eventually } from '#tests/helpers/eventually'

const PERMISSIONS = ['node_create', 'node_update', 'node_delete', 'registry_manage']

const pool = () => pools.for(databaseUrl('core'))
const silent = { warn() {} }

let realmId: string
let headers: Record<string, string>

async function ofARealm() {
  realmId = await newRealm()
  headers = member(realmId, PERMISSIONS).headers
}

const create = (body: object = {}) =>
  call('POST', '/nodes', { headers, body: { name: uniqueName(), ...body } })

const created = async (body: object = {}) => (await create(body)).body.data
const update = (id: string, body: object) => call('POST', `/nodes/${id}`, { headers, body })
const remove = (id: string) => call('DELETE', `/nodes/${id}`, { headers })
const clients = async () => (await identityProvider()).clients!

async function performTasks() {
  const options = {
    tasks: await app.container.make(ClientTasks),
    provider: await identityProvider(),
    logger: silent,
  }
  await runDueTasks(clientWorker(options))
}

async function clientsWithoutNode(): Promise<number> {
  const { rows } = await pool().query(
    `select count(*)::int as n from clients c where c.realm_id = $1 and not c.built_in
     and not exists (select 1 from nodes where client_id = c.id)`,
    [realmId]
  )
  return rows[0].n
}

test.group('Clients of nodes', (group) => {
  group.setup(ofARealm)

  test('clients exist when the response arrives, named after the node', async ({ assert }) => {
    const { id, clientId } = await created()
    const client = await (await clients()).read(clientId, { secret: true })
    assert.equal(client!.name, id)
    assert.equal(client!.realmId, realmId)
    assert.lengthOf(client!.secret!, 64)
  })

  test('S8: are not those of the body', async ({ assert }) => {
    const other = await created()
    const made = await created({ clientId: other.clientId })
    assert.notEqual(made.clientId, other.clientId)
    const { body } = await update(made.id, { clientId: other.clientId })
    assert.equal(body.data.clientId, made.clientId)
    const cleared = await update(made.id, { clientId: null })
    assert.equal(cleared.body.data.clientId, made.clientId)
  })

  test('L18: are created with the node, which publishes one event', async ({ assert, cleanup }) => {
    const changes: RecordChange[] = []
    cleanup(useEventSink({ record: async (_, change) => void changes.push(change) }))
    const { id, clientId } = await created()
    const ofNode = changes.filter(({ kind }) => kind === 'node')
    assert.deepEqual(
      ofNode.map(({ type, next }) => [type, next!.id, next!.clientId]),
      [['created', id, clientId]]
    )
  })

  test('L18: are written in one transaction with their nodes if both share a database', async ({
    assert,
  }) => {
    const { id, clientId } = await created()
    const { rows } = await pool().query(
      `select c.name, n.xmin = c.xmin as "together"
       from nodes n join clients c on c.id = n.client_id where n.id = $1 and c.id = $2`,
      [id, clientId]
    )
    assert.deepEqual(rows, [{ name: id, together: true }])
  })

  test('L18: are removed if the node cannot be created', async ({ assert }) => {
    const { name } = await created()
    const { status } = await create({ name })
    assert.equal(status, 409)
    assert.equal(await clientsWithoutNode(), 0)
  })

  test('clients get exactly the permissions of a node shortly afterwards', async ({
    assert,
    cleanup,
  }) => {
    const provider = await identityProvider()
    const worker = clientWorker({
      tasks: await app.container.make(ClientTasks),
      provider,
      logger: silent,
    })
    const signals = await app.container.make(Signals)
    const runner = await TaskRunner.start({ worker, signals, logger: silent })
    cleanup(() => runner.stop())
    const { clientId } = await created()
    const directory = await clients()
    const permissions = await eventually(async () => {
      const granted = await directory.permissionsOf(clientId)
      return granted.length > 0 && granted.map(({ permission }) => permission.name)
    })
    assert.deepEqual(permissions, ['analysis_update'])
  })

  test('clients lose other permissions when they get their own', async ({ assert }) => {
    const { clientId } = await created()
    const directory = await clients()
    const { id: more } = (await directory.permission('node_update'))!
    await directory.grant(clientId, more)
    await performTasks()
    const permissions = await directory.permissionsOf(clientId)
    assert.deepEqual(
      permissions.map(({ permission }) => permission.name),
      ['analysis_update']
    )
  })

  test('clients get and lose permissions once, even with concurrent workers', async ({
    assert,
    cleanup,
  }) => {
    const { clientId } = await created()
    const directory = await clients()
    await performTasks()
    for (const { id } of await directory.permissionsOf(clientId)) {
      await directory.revoke(id)
    }
    await directory.grant(clientId, (await directory.permission('node_update'))!.id)
    const changes: RecordChange[] = []
    cleanup(useEventSink({ record: async (_transaction, change) => void changes.push(change) }))
    const wanted = { names: NODE_CLIENT_PERMISSIONS, exclusive: true }
    await Promise.all(
      Array.from({ length: 8 }, () => ensurePermissions(directory, clientId, wanted))
    )
    assert.sameMembers(
      changes.map(({ kind, type }) => `${kind} ${type}`),
      ['clientPermission deleted', 'clientPermission created']
    )
  })

  test('L15: are removed after the node, and only after it', async ({ assert }) => {
    const { id, clientId } = await created()
    await performTasks()
    assert.equal((await remove(id)).status, 202)
    const directory = await clients()
    assert.exists(await directory.read(clientId))
    await performTasks()
    assert.notExists(await directory.read(clientId))
  })

  test('that are missing already do not prevent the deletion of the node', async ({ assert }) => {
    const { id, clientId } = await created()
    await (await clients()).remove(clientId)
    assert.equal((await remove(id)).status, 202)
    await performTasks()
    const { rows } = await pool().query('select 1 from tasks where key = $1', [clientId])
    assert.isEmpty(rows)
  })

  test('clients are changed later if the provider is unreachable', async ({ assert }) => {
    const { clientId } = await created()
    const away = {
      clients: {
        ...(await clients()),
        read: () => Promise.reject(new Error('away')),
      },
    } as never
    const tasks = await app.container.make(ClientTasks)
    let warnings = 0
    const logger = { warn: () => void warnings++ }
    await runDueTasks(clientWorker({ tasks, provider: away, logger }))
    assert.isAbove(warnings, 0)
    const { rows } = await pool().query(
      'select attempts, due_at > now() as later from tasks where key = $1',
      [clientId]
    )
    assert.deepEqual(rows, [{ attempts: 1, later: true }])
    await pool().query(
      `update tasks set due_at = now() - interval '1 second' where queue = 'client'`
    )
    await performTasks()
    assert.lengthOf(await (await clients()).permissionsOf(clientId), 1)
  })

  test('clients need an existing realm', async ({ assert }) => {
    const { headers: master } = member(clock.uuid(), PERMISSIONS, { realmName: 'master' })
    const body = { name: uniqueName(), realmId: clock.uuid() }
    const { status, body: told } = await call('POST', '/nodes', { headers: master, body })
    assert.equal(status, 400)
    assert.equal(told.code, 'entity_relation_invalid')
    const nowhere = member(null as never, PERMISSIONS, { realmName: 'master' })
    const homeless = await call('POST', '/nodes', {
      headers: nowhere.headers,
      body: { name: uniqueName() },
    })
    assert.equal(homeless.status, 400)
    assert.deepEqual(homeless.body.issues[0].path, ['realmId'])
  })
})

interface Command {
  type: string
  data: Record<string, unknown>
}

test.group('Nodes and registries', (group) => {
  let first: string
  let second: string

  group.setup(ofARealm)

  group.each.setup(async () => {
    await pool().query('delete from outbox')
    first = (await sampleRecord('core', registry)).id as string
    second = (await sampleRecord('core', registry)).id as string
  })

  /** The commands to the registry since the last call. */
  async function commands(): Promise<Command[]> {
    const { rows } = await pool().query<{ command: Command }>(
      `select content->'command' as command from outbox where queue = 'registryCommands' order by position`
    )
    await pool().query('delete from outbox')
    return rows.map(({ command: { type, data } }) => ({ type, data }))
  }

  const projectOf = async ({ registryProjectId }: { registryProjectId: string }) =>
    (await call('GET', `/registry-projects/${registryProjectId}`, { headers })).body?.data

  const link = (id: string) => ({ type: 'PROJECT_LINK', data: { id } })

  const unlink = ({ id, registryId, externalName, accountId }: any) => ({
    type: 'PROJECT_UNLINK',
    data: { id, registryId, externalName, accountId },
  })

  test('a node with a registry gets a project in it', async ({ assert }) => {
    const made = await created({ registryId: first, externalName: uniqueName('external') })
    const project = await projectOf(made)
    assert.containsSubset(project, {
      name: made.name,
      externalName: made.externalName,
      type: 'node',
      public: false,
      realmId,
      registryId: first,
      webhookExists: false,
      externalId: null,
    })
    assert.deepEqual(await commands(), [link(project.id)])
  })

  test('a node without an external name gets one there', async ({ assert }) => {
    const { externalName, registryProjectId } = await created({ registryId: first })
    assert.match(externalName, /^[0-9a-z]{21}$/)
    assert.equal((await projectOf({ registryProjectId })).externalName, externalName)
  })

  test('a node without a registry is not connected if there are several', async ({ assert }) => {
    const made = await created()
    assert.isNull(made.registryId)
    assert.isNull(made.registryProjectId)
    assert.isNull(made.externalName)
    assert.isEmpty(await commands())
  })

  test('a node without a registry is connected to the only one', async ({ assert }) => {
    await pool().query('delete from registries where id <> $1', [first])
    const made = await created()
    assert.equal(made.registryId, first)
    assert.deepEqual(await commands(), [link(made.registryProjectId)])
  })

  test('a node without a registry is not connected if there is none', async ({ assert }) => {
    await pool().query('delete from registries')
    const made = await created()
    assert.isNull(made.registryId)
    assert.isNull(made.registryProjectId)
  })

  test('an update without a registry keeps the connection', async ({ assert }) => {
    const alone = await created()
    assert.isNull((await update(alone.id, { hidden: true })).body.data.registryProjectId)
    const connected = await created({ registryId: first })
    await commands()
    const { body } = await update(connected.id, { hidden: true })
    assert.equal(body.data.registryProjectId, connected.registryProjectId)
    assert.isEmpty(await commands())
  })

  test('an update with the same registry changes nothing, in any case of the id', async ({
    assert,
  }) => {
    const made = await created({ registryId: first })
    await commands()
    const { status, body } = await update(made.id, { registryId: first.toUpperCase() })
    assert.equal(status, 202)
    assert.deepEqual(body.data, made)
    assert.isEmpty(await commands())
  })

  test('a node is disconnected with null', async ({ assert }) => {
    const made = await created({ registryId: first })
    const project = await projectOf(made)
    await commands()
    const { status, body } = await update(made.id, { registryId: null })
    assert.equal(status, 202)
    assert.isNull(body.data.registryId)
    assert.isNull(body.data.registryProjectId)
    assert.isUndefined(await projectOf(made))
    assert.deepEqual(await commands(), [unlink(project)])
  })

  test('a node that moves gets a new project and loses the old one', async ({ assert }) => {
    const made = await created({ registryId: first })
    const project = await projectOf(made)
    await commands()
    const { body } = await update(made.id, { registryId: second })
    assert.equal(body.data.registryId, second)
    assert.notEqual(body.data.registryProjectId, made.registryProjectId)
    const next = await projectOf(body.data)
    assert.containsSubset(next, { registryId: second, externalName: made.externalName })
    assert.isUndefined(await projectOf(made))
    assert.deepEqual(await commands(), [link(next.id), unlink(project)])
  })

  test('L5: a node that is renamed there is unlinked by its old name first', async ({ assert }) => {
    const made = await created({ registryId: first })
    const project = await projectOf(made)
    await commands()
    const externalName = uniqueName('external')
    const { body } = await update(made.id, { externalName })
    assert.equal(body.data.externalName, externalName)
    assert.equal(body.data.registryProjectId, made.registryProjectId)
    assert.equal((await projectOf(made)).externalName, externalName)
    assert.deepEqual(await commands(), [unlink(project), link(project.id)])
  })

  test('a connected node keeps its external name if none is sent', async ({ assert }) => {
    const made = await created({ registryId: first })
    await commands()
    const { body } = await update(made.id, { externalName: null })
    assert.equal(body.data.externalName, made.externalName)
    assert.isEmpty(await commands())
  })

  test('a connected node whose project is missing gets another one', async ({ assert }) => {
    const made = await created({ registryId: first })
    await pool().query('delete from registry_projects where id = $1', [made.registryProjectId])
    await commands()
    const { body } = await update(made.id, { hidden: true })
    assert.isNotNull(body.data.registryProjectId)
    assert.deepEqual(await commands(), [link(body.data.registryProjectId)])
  })

  test('the project of a deleted node is removed', async ({ assert }) => {
    const made = await created({ registryId: first })
    const project = await projectOf(made)
    await commands()
    const { status, body } = await remove(made.id)
    assert.equal(status, 202)
    assert.equal(body.data.registryProjectId, project.id)
    assert.isUndefined(await projectOf(made))
    assert.deepEqual(await commands(), [unlink(project)])
  })

  test('L8: a node that cannot be created leaves no project and no command', async ({ assert }) => {
    const { name } = await created()
    await commands()
    const { status } = await create({ name, registryId: first })
    assert.equal(status, 409)
    const { rows } = await pool().query('select 1 from registry_projects where registry_id = $1', [
      first,
    ])
    assert.isEmpty(rows)
    assert.isEmpty(await commands())
  })

  test('two realms cannot have a node of one name in one registry', async ({ assert }) => {
    const { name } = await created({ registryId: first })
    const elsewhere = member(await newRealm(), PERMISSIONS)
    const body = { name, registryId: first }
    const { status } = await call('POST', '/nodes', { headers: elsewhere.headers, body })
    assert.equal(status, 409)
  })

  test('deleting a registry detaches its nodes', async ({ assert }) => {
    const made = await created({ registryId: first })
    assert.equal((await call('DELETE', `/registries/${first}`, admin())).status, 202)
    const { body } = await call('GET', `/nodes/${made.id}`, { headers })
    assert.isNull(body.data.registryId)
    assert.isNull(body.data.registryProjectId)
  })

  test('S9: no event contains a secret', async ({ assert, cleanup }) => {
    const changes: RecordChange[] = []
    cleanup(useEventSink({ record: async (_, change) => void changes.push(change) }))
    const made = await created({ registryId: first })
    await pool().query(`update registry_projects set account_secret = 'not-to-be-seen'`)
    await update(made.id, { externalName: uniqueName('external') })
    await update(made.id, { registryId: second })
    assert.isAbove(changes.length, 3)
    assert.notInclude(JSON.stringify(changes), 'not-to-be-seen')
    const { rows } = await pool().query(`select 1 from outbox where content::text ~ 'not-to-be'`)
    assert.isEmpty(rows)
  })
})

test.group('Nodes', (group) => {
  group.setup(ofARealm)

  test('nodes may have the same name in two realms, not in one', async ({ assert }) => {
    const { name } = await created()
    assert.equal((await create({ name })).status, 409)
    const elsewhere = member(await newRealm(), PERMISSIONS)
    const { status } = await call('POST', '/nodes', { headers: elsewhere.headers, body: { name } })
    assert.equal(status, 201)
  })

  test('nodes stay in the realm they were created in', async ({ assert }) => {
    const { id } = await created()
    const { status, body } = await update(id, { realmId: await newRealm() })
    assert.equal(status, 202)
    assert.equal(body.data.realmId, realmId)
  })

  test('L12: update their analyses when they become aggregators or are deleted', async ({
    assert,
  }) => {
    const { id: nodeId } = await created()
    const { id: analysisId } = await sampleRecord('core', analysis, { realmId })
    await sampleRecord('core', analysisNode, { analysisId, nodeId })
    const flags = async () => {
      const { rows } = await pool().query(
        `select nodes, configuration_node_aggregator_valid as aggregator,
           configuration_node_default_valid as "default" from analyses where id = $1`,
        [analysisId]
      )
      return rows[0]
    }
    await update(nodeId, { type: 'aggregator' })
    assert.deepEqual(await flags(), { nodes: 1, aggregator: true, default: false })
    await update(nodeId, { type: 'default' })
    assert.deepEqual(await flags(), { nodes: 1, aggregator: false, default: true })
    assert.equal((await remove(nodeId)).status, 202)
    assert.deepEqual(await flags(), { nodes: 0, aggregator: false, default: false })
  })

  test('that were deleted meanwhile are not found', async ({ assert }) => {
    const { id } = await sampleRecord('core', node, { realmId })
    const path = id as string
    assert.equal((await remove(path)).status, 202)
    assert.equal((await remove(path)).status, 404)
    assert.equal((await update(path, { type: 'aggregator' })).status, 404)
  })
})
