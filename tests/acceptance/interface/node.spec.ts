import { test } from '@japa/runner'

import { useInstallation } from './installation.js'
import { call, create } from './records.js'

const FIELDS = [
  'id',
  'name',
  'clientId',
  'externalName',
  'hidden',
  'type',
  'online',
  'publicKey',
  'robotId',
  'realmId',
  'registryId',
  'registryProjectId',
  'createdAt',
  'updatedAt',
]

const INDEXES = [
  ['id'],
  ['name', 'realmId'],
  ['online'],
  ['hidden'],
  ['clientId'],
  ['realmId'],
  ['robotId'],
  ['createdAt'],
  ['updatedAt'],
]

test.group('Interface: nodes', (group) => {
  useInstallation(group)

  test('Resources / Node 1: a node shows its fourteen fields unasked', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('node', {}, cleanup)
    const { body: record } = await call(`/nodes/${id}`)
    assert.sameMembers(Object.keys(record.data), FIELDS)
    const { body: list } = await call(`/nodes?filter[id]=${id}`)
    assert.sameMembers(Object.keys(list.data[0]), FIELDS)
    assert.sameMembers(list.meta.schema.fields.default, FIELDS)
  })

  test('Resources / Node 2: a node includes its registry and its registry project', async ({
    assert,
    cleanup,
  }) => {
    const registry = await create('registry', {}, cleanup)
    const { id } = await create('node', { registryId: registry.id }, cleanup)
    for (const path of [`/nodes/${id}?`, `/nodes?filter[id]=${id}&`]) {
      const { body } = await call(`${path}include=registry,registryProject`)
      const node = [body.data].flat()[0]
      assert.deepEqual(node.registry, registry)
      assert.containsSubset(node.registryProject, { id: node.registryProjectId, name: node.name })
      assert.notProperty([(await call(path)).body.data].flat()[0], 'registry')
    }
  })

  test('Resources / Node 3: the index sequences of a node are advertised', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('node', {}, cleanup)
    assert.sameDeepMembers((await call('/nodes')).body.meta.schema.indexes, INDEXES)
    assert.sameDeepMembers((await call(`/nodes/${id}`)).body.meta.schema.indexes, INDEXES)
  })

  test('Resources / Node 4: online and hidden are booleans', async ({ assert, cleanup }) => {
    const node = await create('node', {}, cleanup)
    assert.isBoolean(node.online)
    assert.isFalse(node.hidden)
    const { body } = await call(`/nodes/${node.id}`, { method: 'POST', body: { hidden: true } })
    assert.isTrue(body.data.hidden)
    for (const hidden of ['true', 1]) {
      const refused = await call(`/nodes/${node.id}`, { method: 'POST', body: { hidden } })
      assert.equal(refused.status, 400)
    }
  })
})
