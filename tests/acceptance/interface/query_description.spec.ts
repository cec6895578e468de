import { test } from '@japa/runner'

import { useInstallation } from './installation.js'
import { CANNOT_INVITE, canInvite, invite } from './login.js'
import {
  bodyOf,
  call,
  create,
  each,
  KINDS,
  pathOf,
  removeAfterwards,
  type KindName,
} from './records.js'
import { VOCABULARY } from './vocabulary.js'

const CONSTRAINTS = {
  fields: ['default', 'allowed'],
  filters: ['allowed', 'caseSensitive', 'indexed'],
  pagination: ['maxLimit'],
  relations: ['allowed', 'schemas'],
  sorts: ['allowed', 'default', 'indexed'],
}

/** What the schema of a record that is read alone tells. */
const ALONE = ['name', 'strict', 'indexes', 'fields', 'relations']

const NODE = {
  filters: ['id', 'name', 'online', 'hidden', 'clientId', 'realmId', 'robotId'],
  sorts: ['name', 'updatedAt', 'createdAt'],
  relations: ['registryProject', 'registry'],
}

const WITH_SECRET: readonly KindName[] = ['registry', 'registryProject']

async function schemaOf(kind: KindName) {
  return (await call(pathOf(kind))).body.meta.schema
}

test.group('Interface: query description', (group) => {
  useInstallation(group)

  test('Endpoints / Query description row 1: name is {$self}')
    .with([...KINDS])
    .run(async ({ assert }, kind) => assert.equal((await schemaOf(kind)).name, kind))

  test('Endpoints / Query description row 2: strict of a {$self} is true')
    .with([...KINDS])
    .run(async ({ assert }, kind) => assert.isTrue((await schemaOf(kind)).strict))

  test('Endpoints / Query description row 3: indexes of a {$self} are sequences of its fields')
    .with([...KINDS])
    .run(async ({ assert }, kind) => {
      const { indexes } = await schemaOf(kind)
      assert.sameDeepMembers(indexes, VOCABULARY[kind].indexes)
    })

  test('Endpoints / Query description row 4: fields of a {$self} are what its answers may hold')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const { fields, optionalFields } = VOCABULARY[kind]
      const allowed = [...fields, ...optionalFields]
      const described = (await schemaOf(kind)).fields
      assert.sameMembers(described.default, fields)
      assert.sameMembers(described.allowed, allowed)
      const { id } = await create(kind, {}, cleanup)
      const usual = await call(`${pathOf(kind)}?filter[id]=${id}`)
      const all = await call(`${pathOf(kind)}?filter[id]=${id}&fields=${allowed.join()}`)
      assert.sameMembers(Object.keys(usual.body.data[0]), fields)
      assert.sameMembers(Object.keys(all.body.data[0]), allowed)
    })

  test('Endpoints / Query description row 5: filters of a {$self} have names, case and anchoring')
    .with([...KINDS])
    .run(async ({ assert }, kind) => {
      const { allowed, ...further } = (await schemaOf(kind)).filters
      assert.sameMembers(allowed, VOCABULARY[kind].filters)
      assert.deepEqual(further, { caseSensitive: null, indexed: 'anchor' })
    })

  test('Endpoints / Query description row 6: pagination of a {$self} has the cap that is applied')
    .with([...KINDS])
    .run(async ({ assert }, kind) => {
      const { meta } = (await call(`${pathOf(kind)}?pagination[limit]=100000`)).body
      assert.deepEqual(meta.schema.pagination, { maxLimit: 50 })
      assert.equal(meta.limit, 50)
    })

  test('Endpoints / Query description row 7: relations of a {$self} name their schemas')
    .with([...KINDS])
    .run(async ({ assert }, kind) => {
      const { allowed, schemas } = (await schemaOf(kind)).relations
      const { relations } = VOCABULARY[kind]
      assert.deepEqual(schemas, relations)
      assert.deepEqual(allowed?.toSorted() ?? null, relations && Object.keys(relations).toSorted())
    })

  test('Endpoints / Query description row 8: sorts of a {$self} have names, default and binding')
    .with([...KINDS])
    .run(async ({ assert }, kind) => {
      const { allowed, ...further } = (await schemaOf(kind)).sorts
      const { sorts, defaultSort } = VOCABULARY[kind]
      assert.sameMembers(allowed, sorts)
      assert.deepEqual(further, { default: defaultSort, indexed: true })
    })

  test('Endpoints / Query description 1: each parameter of a {$self} has all its constraints')
    .with([...KINDS])
    .run(async ({ assert }, kind) => {
      const schema = await schemaOf(kind)
      for (const [parameter, constraints] of Object.entries(CONSTRAINTS)) {
        assert.sameMembers(Object.keys(schema[parameter]), constraints, parameter)
      }
    })

  test('Endpoints / Query rules 1: relations that were not declared cannot be included', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('registry', {}, cleanup)
    const plain = await call(`/registries?filter[id]=${id}`)
    assert.isNull(plain.body.meta.schema.relations.allowed)
    assert.deepEqual(
      (await call(`/registries?filter[id]=${id}&include=node`)).body.data,
      plain.body.data
    )
  })

  test('Endpoints / Query rules 1: case that was not declared makes no difference', async ({
    assert,
    cleanup,
  }) => {
    const { id, name } = await create('node', {}, cleanup)
    const found = await call(`/nodes?filter[name]=${String(name).toUpperCase()}`)
    assert.isNull(found.body.meta.schema.filters.caseSensitive)
    assert.deepEqual(each('id', found), [id])
  })

  const same = test(
    'Endpoints / Query rules 2: a {$self} is described to everybody alike, whatever is withheld'
  )
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const token = await invite([])
      const { id } = await create(kind, {}, cleanup)
      for (const path of [pathOf(kind), pathOf(kind, id)]) {
        const { meta } = (await call(path)).body
        assert.deepEqual((await call(path, { token })).body.meta.schema, meta.schema)
      }
      const query = `${pathOf(kind, id)}?fields=%2BaccountSecret`
      const { data, meta } = (await call(query, { token })).body
      assert.notProperty(data, 'accountSecret')
      assert.equal(meta.schema.fields.allowed.includes('accountSecret'), WITH_SECRET.includes(kind))
    })
  same.skip(() => !canInvite(), CANNOT_INVITE)

  test('Endpoints / Query rules 3: a {$self} alone describes less, and a change nothing')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const body = await bodyOf(kind, cleanup)
      const created = await call(pathOf(kind), { method: 'POST', body })
      removeAfterwards(kind, created, cleanup)
      const path = pathOf(kind, created.body.data.id)
      const { meta } = (await call(path)).body
      assert.sameMembers(Object.keys(meta), ['schema'])
      assert.sameMembers(Object.keys(meta.schema), ALONE)
      assert.equal(meta.schema.name, kind)
      assert.sameMembers(meta.schema.fields.default, VOCABULARY[kind].fields)
      const updated = await call(path, { method: 'POST', body: { name: body.name } })
      const deleted = await call(path, { method: 'DELETE' })
      for (const change of [created, updated, deleted]) {
        assert.deepEqual(change.body.meta, {})
      }
    })

  test('Endpoints / Query rules 8: nodes are queried with the declared vocabulary', async ({
    assert,
  }) => {
    const { filters, sorts, relations, pagination } = await schemaOf('node')
    assert.sameMembers(filters.allowed, NODE.filters)
    assert.sameMembers(sorts.allowed, NODE.sorts)
    assert.sameMembers(relations.allowed, NODE.relations)
    assert.equal(pagination.maxLimit, 50)
    assert.isNull(filters.caseSensitive)
  })
})
