import { test } from '@japa/runner'

import { useInstallation } from './installation.js'
import { call, create, createNodes, each, KINDS, pathOf, uniqueName } from './records.js'

const MOST = 50

test.group('Interface: query parameters', (group) => {
  useInstallation(group)

  test('Endpoints / Query parameters row 1: filter takes the keys of a {$self}')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const wanted = await create(kind, {}, cleanup)
      await create(kind, {}, cleanup)
      const found = await call(`${pathOf(kind)}?filter[name]=${wanted.name}`)
      assert.deepEqual(each('id', found), [wanted.id])
      assert.equal(found.body.meta.total, 1)
    })

  test('Endpoints / Query parameters row 1: filter takes dotted keys of relations', async ({
    assert,
    cleanup,
  }) => {
    const other = await create('node', {}, cleanup)
    const registry = await create('registry', {}, cleanup)
    const wanted = await create('node', { registryId: registry.id }, cleanup)
    for (const filter of [
      `filter[registry.name]=${registry.name}`,
      `filter=eq(registry.name,'${registry.name}')`,
    ]) {
      assert.deepEqual(each('id', await call(`/nodes?${filter}`)), [wanted.id])
    }
    const both = await call(`/nodes?filter[id]=${wanted.id},${other.id}`)
    assert.sameMembers(each('id', both), [wanted.id, other.id])
  })

  test('Endpoints / Query parameters row 1: two filters both have to be met', async ({
    assert,
    cleanup,
  }) => {
    const { nodes, these } = await createNodes(2, cleanup)
    await call(`/nodes/${nodes[1]!.id}`, { method: 'POST', body: { hidden: true } })
    assert.deepEqual(each('id', await call(`/nodes?${these}&filter[hidden]=true`)), [nodes[1]!.id])
  })

  test('Endpoints / Query parameters row 2: fields takes names, and a plus adds one', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await create('registry', { accountSecret: 'harbor-secret' }, cleanup)
    const usual = ['id', 'name', 'host', 'accountName', 'createdAt', 'updatedAt']
    const cases = {
      '': usual,
      'fields=name,host': ['name', 'host'],
      'fields=%2BaccountSecret': [...usual, 'accountSecret'],
      'fields=id,%2BaccountSecret': ['id', 'accountSecret'],
    }
    for (const [query, fields] of Object.entries(cases)) {
      const list = await call(`/registries?filter[id]=${id}&${query}`)
      assert.sameMembers(Object.keys(list.body.data[0]), fields, query)
      const record = await call(`/registries/${id}?${query}`)
      assert.sameMembers(Object.keys(record.body.data), fields, query)
    }
  })

  test('Endpoints / Query parameters row 3: sort takes keys, and a minus turns the order round', async ({
    assert,
    cleanup,
  }) => {
    const { nodes, these } = await createNodes(4, cleanup)
    const names = nodes.map(({ name }) => name)
    assert.deepEqual(each('name', await call(`/nodes?${these}&sort=name`)), names)
    assert.deepEqual(each('name', await call(`/nodes?${these}&sort=-name`)), names.toReversed())
  })

  test('Endpoints / Query parameters row 4: include takes relations', async ({
    assert,
    cleanup,
  }) => {
    const { id, registryId } = await create('registryProject', {}, cleanup)
    const path = `/registry-projects?filter[id]=${id}`
    const [plain] = (await call(path)).body.data
    const [including] = (await call(`${path}&include=registry`)).body.data
    assert.notProperty(plain, 'registry')
    assert.deepEqual(including, { ...plain, registry: including.registry })
    assert.equal(including.registry.id, registryId)
  })

  test('Endpoints / Query parameters row 5: pagination[limit] is capped', async ({
    assert,
    cleanup,
  }) => {
    const { nodes, these } = await createNodes(3, cleanup)
    const page = await call(`/nodes?${these}&sort=name&pagination[limit]=2`)
    assert.deepEqual(
      each('id', page),
      nodes.slice(0, 2).map(({ id }) => id)
    )
    assert.containsSubset(page.body.meta, { total: 3, limit: 2, offset: 0 })
    const { meta } = (await call('/nodes?pagination[limit]=100000')).body
    assert.equal(meta.limit, MOST)
  })

  test('Endpoints / Query parameters 1: a {$self} describes its parameters by canonical names')
    .with([...KINDS])
    .run(async ({ assert }, kind) => {
      const { schema } = (await call(pathOf(kind))).body.meta
      assert.includeMembers(Object.keys(schema), [
        'filters',
        'relations',
        'sorts',
        'fields',
        'pagination',
      ])
      assert.notIncludeMembers(Object.keys(schema), ['filter', 'include', 'sort'])
    })

  test('Endpoints / Query parameters 1: canonical names are not parameters', async ({
    assert,
    cleanup,
  }) => {
    const { nodes, these } = await createNodes(2, cleanup)
    const { body } = await call(
      `/nodes?${these}&filters[name]=${nodes[0]!.name}&relations=registry`
    )
    assert.equal(body.meta.total, 2)
    assert.notProperty(body.data[0], 'registry')
  })

  test('Limits row 1: a page has at most fifty records', async ({ assert, cleanup }) => {
    const stem = uniqueName()
    for (let count = 0; count <= MOST; count++) {
      await create('registry', { name: `${stem}-${count}` }, cleanup)
    }
    const all = `/registries?filter[name]=${stem}~`
    for (const query of ['', '&pagination[limit]=51', '&pagination[limit]=1000']) {
      const { body } = await call(all + query)
      assert.lengthOf(body.data, MOST)
      assert.containsSubset(body.meta, { total: MOST + 1, limit: MOST })
      assert.equal(body.meta.schema.pagination.maxLimit, MOST)
    }
    assert.lengthOf((await call(`${all}&pagination[offset]=${MOST}`)).body.data, 1)
  }).timeout(600_000)
})
