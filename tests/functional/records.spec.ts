import { test } from '@japa/runner'

import { node } from '#core/nodes/node'
import { registry } from '#core/registries/registry'
import { registryProject } from '#core/registry_projects/registry_project'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { clock } from '#kernel/clock'
import { knownRealms } from '#tests/functional/identity/known_realms'
import { at } from '#tests/helpers/application'
import { identity, REALMS } from '#tests/helpers/identities'
import { sampleRecord } from '#tests/helpers/sample_records'

const SECRET = 'harbor-secret-1'
const admin = identity()
const nobody = identity({ permissions: [] })

async function ask(path: string, { headers } = admin) {
  const response = await fetch(at('core', path), { headers })
  return { status: response.status, text: await response.text() }
}

async function change(method: string, path: string, body?: object, { headers } = admin) {
  const response = await fetch(at('core', path), {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as any }
}

const uniqueName = () => `name-${clock.uuid().slice(0, 8)}`

test.group('Secrets of records', (group) => {
  let ids: Record<'registry' | 'project' | 'node', string>

  group.each.setup(async () => {
    const { id } = await sampleRecord('core', registry, { accountSecret: SECRET })
    const project = await sampleRecord('core', registryProject, {
      registryId: id,
      accountSecret: SECRET,
    })
    const { id: nodeId } = await sampleRecord('core', node, {
      registryId: id,
      registryProjectId: project.id,
    })
    ids = { registry: id as string, project: project.id as string, node: nodeId as string }
  })

  const selections = () => [
    `/registries/${ids.registry}?fields=%2BaccountSecret`,
    `/registries/${ids.registry}?fields=accountSecret`,
    `/registries?fields=%2BaccountSecret&filter[id]=${ids.registry}`,
    `/registry-projects/${ids.project}?fields=%2BaccountSecret&include=registry`,
    `/registry-projects/${ids.project}?include=registry&fields[registry]=%2BaccountSecret`,
    `/nodes/${ids.node}?include=registry&fields[registry]=%2BaccountSecret`,
    `/nodes/${ids.node}?fields[registry]=accountSecret`,
    `/nodes/${ids.node}?fields=registry.accountSecret,id`,
    `/nodes?filter[id]=${ids.node}&include=registryProject.registry&fields[registryProject.registry]=%2BaccountSecret`,
    `/nodes?filter[id]=${ids.node}&include=registryProject&fields[registryProject]=accountSecret`,
  ]

  test('secrets are shown to callers who may manage registries, at every depth', async ({
    assert,
  }) => {
    for (const path of selections()) {
      const { status, text } = await ask(path)
      assert.equal(status, 200, path)
      assert.include(text, SECRET, path)
    }
  })

  test('secrets are left out for everybody else, without a refusal', async ({ assert }) => {
    for (const path of selections()) {
      const { status, text } = await ask(path, nobody)
      assert.equal(status, 200, path)
      assert.notInclude(text, SECRET, path)
      assert.notInclude(text, '"accountSecret":', path)
    }
  })

  test('secrets of a registry project are shown to the client of the node that owns it', async ({
    assert,
  }) => {
    const client = identity({ kind: 'client', permissions: [] })
    await sampleRecord('core', node, { clientId: client.actor.id, registryProjectId: ids.project })
    const own = await ask(`/registry-projects/${ids.project}?fields=%2BaccountSecret`, client)
    assert.include(own.text, SECRET)
    const { id } = await sampleRecord('core', registryProject, { accountSecret: SECRET })
    const foreign = await ask(`/registry-projects/${id}?fields=%2BaccountSecret`, client)
    assert.notInclude(foreign.text, SECRET)
  })

  test('secrets cannot be guessed by filtering or sorting, even by those who may see them', async ({
    assert,
  }) => {
    for (const query of [
      `filter[accountSecret]=${SECRET}`,
      'filter[accountSecret]=nothing',
      `filter[accountSecret]=~${SECRET.slice(0, 3)}~`,
      'sort=accountSecret',
      'sort=-accountSecret',
    ]) {
      const plain = JSON.parse((await ask('/registries')).text)
      const { status, text } = await ask(`/registries?${query}`)
      assert.equal(status, 200)
      assert.equal(JSON.parse(text).meta.total, plain.meta.total, query)
    }
    const expression = await ask(`/registries?filter=eq(accountSecret,'${SECRET}')`)
    assert.equal(expression.status, 400)
    const related = await ask(`/nodes?filter=eq(registry.accountSecret,'${SECRET}')`)
    assert.equal(related.status, 400)
  })

  test('secrets are not echoed by writes', async ({ assert }) => {
    const body = { name: uniqueName(), host: uniqueName(), accountSecret: SECRET }
    const created = await change('POST', '/registries', body)
    assert.equal(created.status, 201)
    assert.notInclude(JSON.stringify(created.body), SECRET)
    const path = `/registries/${created.body.data.id}`
    const updated = await change('POST', path, { accountSecret: SECRET })
    assert.notInclude(JSON.stringify(updated.body), SECRET)
    const removed = await change('DELETE', path)
    assert.notInclude(JSON.stringify(removed.body), SECRET)
  })
})

test.group('Changes of records', (group) => {
  group.setup(knownRealms)
  let changes: RecordChange[]

  group.each.setup(() => {
    changes = []
    return useEventSink({
      record: async (_transaction, made) => {
        if (made.kind !== 'client') {
          changes.push(made)
        }
      },
    })
  })

  test('changes reach the sink with their actor and their differences', async ({ assert }) => {
    const created = await change('POST', '/nodes', { name: uniqueName(), hidden: true })
    const path = `/nodes/${created.body.data.id}`
    await change('POST', path, { hidden: false })
    await change('DELETE', path)
    assert.deepEqual(
      changes.map(({ kind, type, id }) => [kind, type, id]),
      ['created', 'updated', 'deleted'].map((type) => ['node', type, created.body.data.id])
    )
    const [first, second, third] = changes
    assert.isUndefined(first!.previous)
    assert.equal(second!.previous!.hidden, true)
    assert.equal(second!.next!.hidden, false)
    assert.isUndefined(third!.next)
    for (const { origin, realmId } of changes) {
      assert.equal(origin.actor.id, admin.actor.id)
      assert.equal(realmId, REALMS.master)
      assert.isNotEmpty(origin.requestId)
      assert.equal(origin.address, '127.0.0.1')
    }
  })

  test('changes are not recorded for an update without changes', async ({ assert }) => {
    const attributes = { name: uniqueName(), hidden: true, publicKey: 'a key in words' }
    const created = await change('POST', '/nodes', attributes)
    const { status, body } = await change('POST', `/nodes/${created.body.data.id}`, attributes)
    assert.equal(status, 202)
    assert.deepEqual(body.data, created.body.data)
    assert.deepEqual(
      changes.filter(({ kind }) => kind === 'node').map(({ type }) => type),
      ['created']
    )
  })

  test('changes carry no secret', async ({ assert }) => {
    await change('POST', '/registries', {
      name: uniqueName(),
      host: uniqueName(),
      accountSecret: SECRET,
    })
    assert.lengthOf(changes, 1)
    assert.notInclude(JSON.stringify(changes), SECRET)
  })

  test('changes are rolled back when the sink fails', async ({ assert, cleanup }) => {
    const name = uniqueName()
    cleanup(
      useEventSink({
        record: async () => {
          throw new Error('full')
        },
      })
    )
    const { status } = await change('POST', '/nodes', { name })
    assert.equal(status, 500)
    const { text } = await ask(`/nodes?filter[name]=${name}`)
    assert.equal(JSON.parse(text).meta.total, 0)
  })

  test('changes of nothing leave no trace', async ({ assert }) => {
    const missing = '9b2d7a54-0000-4000-8000-000000000000'
    assert.equal((await change('DELETE', `/nodes/${missing}`)).status, 404)
    assert.equal((await change('POST', `/nodes/${missing}`, { hidden: true })).status, 404)
    assert.isEmpty(changes)
  })
})

test.group('Realms of records', (group) => {
  group.setup(knownRealms)
  const foreign = identity({ realmId: REALMS.other, realmName: 'other' })

  test('a record is created in the realm of its maker', async ({ assert }) => {
    const { body } = await change('POST', '/nodes', { name: uniqueName() }, foreign)
    assert.equal(body.data.realmId, REALMS.other)
  })

  test('members of another realm may not write, the master realm may', async ({ assert }) => {
    const { id } = await sampleRecord('core', node, { realmId: REALMS.master })
    assert.equal((await change('POST', `/nodes/${id}`, { hidden: true }, foreign)).status, 403)
    assert.equal((await change('DELETE', `/nodes/${id}`, undefined, foreign)).status, 403)
    const given = { name: uniqueName(), realmId: REALMS.master }
    assert.equal((await change('POST', '/nodes', given, foreign)).status, 403)
    const { id: theirs } = await sampleRecord('core', node, { realmId: REALMS.other })
    assert.equal((await change('POST', `/nodes/${theirs}`, { hidden: true })).status, 202)
  })

  test('a name in use in the realm is a conflict', async ({ assert }) => {
    const name = uniqueName()
    assert.equal((await change('POST', '/nodes', { name })).status, 201)
    const { status, body } = await change('POST', '/nodes', { name })
    assert.equal(status, 409)
    assert.equal(body.code, 'entity_conflict')
  })
})
