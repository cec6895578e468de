import { test } from '@japa/runner'

import { analysis } from '#core/analyses/analysis'
import { node } from '#core/nodes/node'
import { projectNode } from '#core/project_nodes/project_node'
import { project } from '#core/projects/project'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { sampleRecord } from '#tests/helpers/sample_records'

import { call, member, newRealm, uniqueName } from './node_scene.js'

const PERMISSIONS = ['project_create', 'project_update', 'project_delete']

test.group('Projects', (group) => {
  let realmId: string
  let headers: Record<string, string>

  group.setup(async () => {
    realmId = await newRealm()
    headers = member(realmId, PERMISSIONS).headers
  })

  const create = async (body: object = {}) =>
    (await call('POST', '/projects', { headers, body })).body.data

  for (const kind of ['user', 'client', 'robot'] as const) {
    test(`projects belong to the realm of the ${kind} that creates them`, async ({ assert }) => {
      const maker = member(realmId, PERMISSIONS, { kind })
      const { body } = await call('POST', '/projects', { headers: maker.headers, body: {} })
      const { userId, clientId, robotId, realmId: realm } = body.data
      assert.equal(realm, realmId)
      const expected = {
        userId: null,
        clientId: null,
        robotId: null,
        [`${kind}Id`]: maker.actor.id,
      }
      assert.deepEqual({ userId, clientId, robotId }, expected)
    })
  }

  test('projects cannot be created without the permission', async ({ assert }) => {
    const { headers: theirs } = member(realmId, ['project_update', 'project_delete'])
    const { status, body } = await call('POST', '/projects', { headers: theirs, body: {} })
    assert.equal(status, 403)
    assert.deepEqual(body.issues[0].path, ['project_create'])
  })

  test('projects get a name where they came without one', async ({ assert }) => {
    assert.match((await create()).name, /^[a-z]+-[a-z]+-[0-9a-f]{6}$/)
  })

  test('projects have no nodes and no analyses at first', async ({ assert }) => {
    const { nodes, analyses } = await create()
    assert.deepEqual({ nodes, analyses }, { nodes: 0, analyses: 0 })
  })

  test('a name is unique in all realms, in any case', async ({ assert }) => {
    const name = uniqueName('taken')
    await create({ name })
    const elsewhere = member(await newRealm(), PERMISSIONS)
    const again = await call('POST', '/projects', {
      headers: elsewhere.headers,
      body: { name: name.toUpperCase() },
    })
    assert.equal(again.status, 409)
    assert.equal(again.body.code, 'entity_conflict')
    const { id } = await create()
    const renamed = await call('POST', `/projects/${id}`, { headers, body: { name } })
    assert.equal(renamed.status, 409)
  })

  test('projects keep their name', async ({ assert }) => {
    const { id, name } = await create()
    const { status } = await call('POST', `/projects/${id}`, { headers, body: { name } })
    assert.equal(status, 202)
  })

  test('with analyses are not deleted, whatever their counter', async ({ assert }) => {
    const { id } = await create()
    const created = await sampleRecord('core', analysis, { projectId: id, realmId })
    await pools
      .for(databaseUrl('core'))
      .query('update projects set analyses = 0 where id = $1', [id])
    const { status, body } = await call('DELETE', `/projects/${id}`, { headers })
    assert.equal(status, 400)
    assert.equal(body.code, 'bad_request')
    const { rowCount } = await pools
      .for(databaseUrl('core'))
      .query('select 1 from analyses where id = $1', [created.id])
    assert.equal(rowCount, 1)
  })

  test('L14: without analyses are deleted, whatever their counter', async ({ assert }) => {
    const { id } = await sampleRecord('core', project, { realmId, analyses: 3 })
    const { status } = await call('DELETE', `/projects/${id}`, { headers })
    assert.equal(status, 202)
  })

  test('projects remove their nodes when they are deleted, and publish that', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create()
    const nodes = await Promise.all([sampleRecord('core', node), sampleRecord('core', node)])
    const parts = await Promise.all(
      nodes.map(({ id: nodeId }) => sampleRecord('core', projectNode, { projectId: id, nodeId }))
    )
    const changes: RecordChange[] = []
    cleanup(useEventSink({ record: async (_, change) => void changes.push(change) }))
    assert.equal((await call('DELETE', `/projects/${id}`, { headers })).status, 202)
    assert.sameMembers(
      changes.filter(({ type }) => type === 'deleted').map((change) => change.id),
      [id, ...parts.map((part) => part.id as string)]
    )
    for (const { id: nodeId } of nodes) {
      assert.equal((await call('GET', `/nodes/${nodeId}`, { headers })).status, 200)
    }
  })
})
