import { test } from '@japa/runner'

import { useInstallation } from './installation.js'
import { call, create, createNodes, each, KINDS, pathOf, uniqueName } from './records.js'
import { VOCABULARY } from './vocabulary.js'

const ID = '00000000-0000-4000-8000-000000000000'

/** Values that can be compared with a key of any type. */
const valueFor = (key: string) => (/id$/i.test(key) ? ID : /online|hidden/.test(key) ? 'true' : 'x')

test.group('Interface: query rules', (group) => {
  useInstallation(group)

  test('Endpoints / Query rules 4: each filter key of a {$self} anchors a group by itself')
    .with([...KINDS])
    .run(async ({ assert }, kind) => {
      const branches = VOCABULARY[kind].filters.map((key) => `eq(${key},'${valueFor(key)}')`)
      for (const filter of [...branches, `or(${branches})`, `and(${branches})`]) {
        assert.equal((await call(`${pathOf(kind)}?filter=${filter}`)).status, 200, filter)
      }
    })

  test('Endpoints / Query rules 4: a group of an expression with a forbidden key answers 400', async ({
    assert,
  }) => {
    for (const filter of [
      "eq(publicKey,'x')",
      "or(eq(name,'x'),eq(publicKey,'x'))",
      "and(eq(name,'x'),not(eq(publicKey,'x')))",
    ]) {
      const { status, body } = await call(`/nodes?filter=${filter}`)
      assert.equal(status, 400, filter)
      assert.equal(body.code, 'bad_request')
    }
  })

  test('Endpoints / Query rules 4: a forbidden key in brackets is dropped', async ({
    assert,
    cleanup,
  }) => {
    const { nodes, these } = await createNodes(2, cleanup)
    const { status, body } = await call(`/nodes?${these}&filter[publicKey]=x`)
    assert.equal(status, 200)
    assert.equal(body.meta.total, nodes.length)
  })

  test('Endpoints / Query rules 5: each single advertised key of a {$self} binds')
    .with([...KINDS])
    .run(async ({ assert, cleanup }, kind) => {
      const stem = uniqueName()
      const ids: string[] = []
      for (let count = 0; count < 3; count++) {
        const name = `${stem}-${count}`
        const { id } = await create(kind, { name, displayName: name }, cleanup)
        ids.push(id)
      }
      await call(pathOf(kind, ids[0]), { method: 'POST', body: { name: `${stem}-3` } })
      for (const key of VOCABULARY[kind].sorts) {
        const path = `${pathOf(kind)}?filter[id]=${ids.join()}&sort=`
        const values = each(key, await call(path + key))
        assert.deepEqual(values, values.toSorted(), key)
        assert.deepEqual(each(key, await call(`${path}-${key}`)), values.toReversed(), key)
        assert.isAbove(new Set(values).size, 1, key)
      }
    })

  test('Endpoints / Query rules 5: keys that are not a prefix of an index sort nothing', async ({
    assert,
    cleanup,
  }) => {
    const { these } = await createNodes(6, cleanup)
    const unsorted = each('name', await call(`/nodes?${these}`))
    for (const sort of ['name,createdAt', '-name,createdAt', 'createdAt,-name']) {
      assert.deepEqual(each('name', await call(`/nodes?${these}&sort=${sort}`)), unsorted, sort)
    }
  })

  test('Endpoints / Query rules 6: nodes have no default order', async ({ assert }) => {
    const { sorts } = (await call('/nodes')).body.meta.schema
    assert.strictEqual(sorts.default, null)
  })

  test('Endpoints / Query rules 7: unknown keys of a {parameter} are dropped')
    .with([
      { parameter: 'fields', kept: 'id,name', query: 'fields=id,bogus,name' },
      { parameter: 'sort', kept: 'all', query: 'sort=bogus' },
      { parameter: 'include', kept: 'all', query: 'include=bogus,registries' },
    ])
    .run(async ({ assert, cleanup }, { kept: stored, query }) => {
      const { id } = await create('node', {}, cleanup)
      const path = `/nodes?filter[id]=${id}`
      const plain = (await call(path)).body.data[0]
      const { status, body } = await call(`${path}&${query}`)
      assert.equal(status, 200)
      assert.deepEqual(body.data, [stored === 'all' ? plain : { id, name: plain.name }])
    })

  test('Endpoints / Query rules 7: unknown keys of a body are dropped', async ({
    assert,
    cleanup,
  }) => {
    const node = await create('node', { bogus: 1, display_name: 'x' }, cleanup)
    assert.notProperty(node, 'bogus')
    assert.notProperty(node, 'display_name')
    const body = { hidden: true, bogus: { deep: true } }
    const updated = await call(`/nodes/${node.id}`, { method: 'POST', body })
    assert.isTrue(updated.body.data.hidden)
  })
})
