import { test } from '@japa/runner'

import { address, useInstallation } from './installation.js'
import {
  bodyOf,
  call,
  create,
  each,
  KINDS,
  LISTED_KINDS,
  pathOf,
  removeAfterwards,
  uniqueName,
} from './records.js'

const CAMEL_CASE = /^[a-z][a-zA-Z0-9]*$/

function keysWithin(value: unknown): string[] {
  return value === null || typeof value !== 'object'
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [
        ...(Array.isArray(value) ? [] : [key]),
        ...keysWithin(inner),
      ])
}

test.group('Interface: envelopes', (group) => {
  useInstallation(group)

  test('Introduction 1: what is sent as JSON comes back as JSON', async ({ assert, cleanup }) => {
    const description = 'käse "\\ \n 🐙'
    const body = { ...(await bodyOf('project', cleanup)), description }
    const answer = await call('/projects', { method: 'POST', body })
    removeAfterwards('project', answer, cleanup)
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(answer.body.data.description, description)
  })

  test('Resources / Conventions 1: every name of a {$self} is camelCase')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const { id } = await create(kind, {}, cleanup)
      const { body } = await call(`${pathOf(kind)}?filter[id]=${id}`)
      for (const name of keysWithin(body)) {
        assert.match(name, CAMEL_CASE)
      }
    })

  test('Resources / Conventions 1: a body is read by camelCase names only', async ({
    assert,
    cleanup,
  }) => {
    const spelled = await create('node', { externalName: 'harbor' }, cleanup)
    const underscored = await create('node', { external_name: 'harbor' }, cleanup)
    assert.equal(spelled.externalName, 'harbor')
    assert.notEqual(underscored.externalName, 'harbor')
  })

  test('Resources / Conventions 2: a {$self} alone and a list of them have their envelopes')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const { id } = await create(kind, {}, cleanup)
      const record = await call(pathOf(kind, id))
      assert.sameMembers(Object.keys(record.body), ['data', 'meta'])
      assert.equal(record.body.data.id, id)
      assert.isObject(record.body.meta)

      const list = await call(`${pathOf(kind)}?filter[id]=${id}`)
      assert.sameMembers(Object.keys(list.body), ['data', 'meta'])
      assert.deepEqual(each('id', list), [id])
      assert.sameMembers(Object.keys(list.body.meta), ['total', 'limit', 'offset', 'schema'])
    })

  test('Resources / Conventions 3: core serves the kind {$self}')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const { id } = await create(kind, {}, cleanup)
      assert.equal((await call(pathOf(kind))).body.meta.schema.name, kind)
      assert.equal((await call(pathOf(kind, id))).body.meta.schema.name, kind)
    })

  test('Endpoints / Common rules 1a: a {$self} is updated by POST to its path')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const { id } = await create(kind, {}, cleanup)
      const name = uniqueName()
      await call(pathOf(kind, id), { method: 'POST', body: { name } })
      assert.equal((await call(pathOf(kind, id))).body.data.name, name)
    })

  test('Endpoints / Common rules 2: changes answer the {$self} with an empty meta')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const body = await bodyOf(kind, cleanup)
      const created = await call(pathOf(kind), { method: 'POST', body })
      removeAfterwards(kind, created, cleanup)
      assert.equal(created.status, 201)
      assert.containsSubset(created.body, { data: body })
      assert.deepEqual(created.body.meta, {})

      const path = pathOf(kind, created.body.data.id)
      const name = uniqueName()
      const updated = await call(path, { method: 'POST', body: { name } })
      assert.equal(updated.status, 202)
      assert.containsSubset(updated.body.data, { id: created.body.data.id, name })
      assert.deepEqual(updated.body.meta, {})

      const deleted = await call(path, { method: 'DELETE' })
      assert.equal(deleted.status, 202)
      assert.deepEqual(deleted.body, updated.body)
    })

  test('Endpoints / Common rules 3: a list of {$self} has its total and its page')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const ids = [await create(kind, {}, cleanup), await create(kind, {}, cleanup)]
        .map(({ id }) => id)
        .sort()
      const path = `${pathOf(kind)}?filter[id]=${ids.join()}`
      const whole = await call(path)
      assert.equal(whole.status, 200)
      assert.sameMembers(each('id', whole), ids)
      assert.equal(whole.body.meta.total, 2)
      assert.isObject(whole.body.meta.schema)

      const page = await call(`${path}&pagination[limit]=1&pagination[offset]=1`)
      assert.lengthOf(page.body.data, 1)
      assert.containsSubset(page.body.meta, { total: 2, limit: 1, offset: 1 })
    })

  test('Endpoints / Common rules 4: a {$self} alone comes with its schema')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const { id } = await create(kind, {}, cleanup)
      const { status, body } = await call(pathOf(kind, id))
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body.meta), ['schema'])
      assert.equal(body.meta.schema.name, kind)
    })

  test('Endpoints / Common rules 5: what core refuses about a {$self} has no envelope')
    .with([...KINDS])
    .run(async ({ assert }, kind) => {
      const failures = [
        await call(pathOf(kind), { token: null }),
        await call(`${pathOf(kind)}?filter=eq(bogus,'1')`),
        await call(pathOf(kind), { method: 'POST', body: { name: 1 } }),
        await call(pathOf(kind, '00000000-0000-4000-8000-000000000000')),
      ]
      assert.deepEqual(
        failures.map(({ status }) => status),
        [401, 400, 400, 404]
      )
      for (const { body } of failures) {
        assert.notProperty(body, 'data')
        assert.notProperty(body, 'meta')
      }
    })

  test('Endpoints / Core service row 2: {$self} is listed with its schema')
    .with([...LISTED_KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const { id } = await create(kind, {}, cleanup)
      const { status, body } = await call(`${pathOf(kind)}?filter[id]=${id}`)
      assert.equal(status, 200)
      assert.equal(body.data[0].id, id)
      assert.containsSubset(body.meta, { total: 1, schema: { name: kind } })
    })

  test('Endpoints / Core service row 3: {$self} is read with its schema')
    .with([...LISTED_KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const stored = await create(kind, {}, cleanup)
      const { status, body } = await call(pathOf(kind, stored.id))
      assert.equal(status, 200)
      assert.deepEqual(body.data, stored)
      assert.equal(body.meta.schema.name, kind)
    })

  test('Endpoints / Core service row 4: {$self} is created with 201')
    .with([...LISTED_KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const body = await bodyOf(kind, cleanup)
      const answer = await call(pathOf(kind), { method: 'POST', body })
      removeAfterwards(kind, answer, cleanup)
      assert.equal(answer.status, 201)
      assert.containsSubset(answer.body, { data: body })
      assert.deepEqual(answer.body.meta, {})
      assert.deepEqual((await call(pathOf(kind, answer.body.data.id))).body.data, answer.body.data)
    })

  test('Endpoints / Core service row 5: {$self} is updated by POST')
    .with([...LISTED_KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const stored = await create(kind, {}, cleanup)
      const name = uniqueName()
      const answer = await call(pathOf(kind, stored.id), { method: 'POST', body: { name } })
      const { updatedAt } = answer.body.data
      assert.deepEqual(answer.body, { data: { ...stored, name, updatedAt }, meta: {} })
      assert.isAtLeast(Date.parse(updatedAt), Date.parse(stored.updatedAt))
    })

  test('Endpoints / Core service row 6: {$self} is deleted')
    .with([...LISTED_KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const stored = await create(kind, {}, cleanup)
      const answer = await call(pathOf(kind, stored.id), { method: 'DELETE' })
      assert.deepEqual(answer.body, { data: stored, meta: {} })
      assert.equal((await call(pathOf(kind, stored.id))).status, 404)
    })

  test('Versioning 2: a {$self} comes wrapped')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const { id } = await create(kind, {}, cleanup)
      const { body } = await call(pathOf(kind, id))
      assert.notProperty(body, 'id')
      assert.equal(body.data.id, id)
    })

  test('Versioning 2: version and time stay flat', async ({ assert }) => {
    const metadata = (await (await fetch(address('core'))).json()) as object
    assert.notProperty(metadata, 'data')
    assert.properties(metadata, ['version', 'timestamp'])
  })
})
