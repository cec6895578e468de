import { test } from '@japa/runner'

import { useInstallation } from './installation.js'
import { call, create, createNodes, type Answer } from './records.js'

const BAD_BODY = {
  name: 1,
  hidden: 'yes',
  type: 'sideways',
  externalName: 'NOT LOWER',
  publicKey: '',
  realmId: 'nowhere',
}
const BAD_QUERIES = {
  'a forbidden key': "filter=eq(publicKey,'x')",
  'a forbidden key of a relation': "filter=eq(registry.host,'x')",
  'no grammar': 'filter=((',
  'several forbidden keys': "filter=and(eq(publicKey,'x'),eq(bogus,'y'))",
}

const create400 = (body: object) => call('/nodes', { method: 'POST', body })

function itemsOf(issues: any[]): any[] {
  return issues.flatMap((issue) => (issue.type === 'group' ? itemsOf(issue.issues) : [issue]))
}

async function everyRefusal(): Promise<Answer[]> {
  return [
    await create400({}),
    await create400(BAD_BODY),
    ...(await Promise.all(Object.values(BAD_QUERIES).map((query) => call(`/nodes?${query}`)))),
  ]
}

test.group('Interface: refused requests', (group) => {
  useInstallation(group)

  test('Errors / Envelope row 1: statusCode repeats 400', async ({ assert }) => {
    for (const { status, body } of await everyRefusal()) {
      assert.equal(status, 400)
      assert.strictEqual(body.statusCode, 400)
    }
  })

  test('Errors / Envelope row 2: what cannot be read or accepted is a bad_request', async ({
    assert,
  }) => {
    for (const { body } of await everyRefusal()) {
      assert.equal(body.code, 'bad_request')
    }
  })

  test('Errors / Envelope row 3: message of a refused query is only a count', async ({
    assert,
  }) => {
    for (const query of Object.values(BAD_QUERIES)) {
      const { message } = (await call(`/nodes?${query}`)).body
      assert.match(message, /\b1\b/)
      assert.notMatch(message, /publicKey|bogus|registry|eq/)
    }
  })

  test('Errors / Envelope row 3: message of a refused body is a text', async ({ assert }) => {
    const { message } = (await create400(BAD_BODY)).body
    assert.isString(message)
    assert.isNotEmpty(message)
  })

  test('Errors / Issues 1: an issue is an item or a group of issues', async ({ assert }) => {
    function assertIssues(issues: any): void {
      assert.isArray(issues)
      assert.isNotEmpty(issues)
      for (const issue of issues) {
        assert.oneOf(issue.type, ['item', 'group'])
        if (issue.type === 'group') {
          assertIssues(issue.issues)
        } else {
          assert.notProperty(issue, 'issues')
        }
      }
    }
    for (const { body } of await everyRefusal()) {
      assertIssues(body.issues)
    }
  })

  test('Errors / Issues 2: an item has code, path, message and meta', async ({ assert }) => {
    for (const { body } of await everyRefusal()) {
      for (const { code, path, message, meta } of itemsOf(body.issues)) {
        assert.match(code, /^\w+$/)
        assert.isArray(path)
        assert.isString(message)
        assert.isObject(meta)
      }
    }
  })

  test('Errors / Issues 2: path has canonical names, one for each step', async ({ assert }) => {
    const related = await call(`/nodes?filter=eq(registry.host,'x')`)
    assert.deepEqual(related.body.issues[0].path, ['registry', 'host'])
    const aliased = await call(`/nodes?filter=eq(node.publicKey,'x')`)
    assert.deepEqual(aliased.body.issues[0].path, ['publicKey'])
  })

  test('Errors / Issues 3: an issue of a query names {parameter} and the key as it was sent')
    .with([
      { parameter: 'filters', query: "filter=eq(publicKey,'x')", key: 'publicKey' },
      { parameter: 'filters', query: "filter=eq(node.publicKey,'x')", key: 'node.publicKey' },
      { parameter: 'filters', query: "filter=eq(registry.host,'x')", key: 'registry.host' },
      { parameter: 'relations', query: 'include=__proto__' },
      { parameter: 'sorts', query: 'sort=__proto__' },
      { parameter: 'fields', query: 'fields=__proto__' },
    ])
    .run(async ({ assert }, { parameter, query, key }) => {
      const { body } = await call(`/nodes?${query}`)
      assert.lengthOf(body.issues, 1)
      assert.equal(body.issues[0].meta.parameter, parameter)
      assert.equal(body.issues[0].meta.key, key)
    })

  test('Errors / Rules 1: each rejected attribute of a body has one issue', async ({ assert }) => {
    const { body } = await create400(BAD_BODY)
    assert.sameDeepMembers(
      body.issues.map(({ path }: any) => path),
      Object.keys(BAD_BODY).map((name) => [name])
    )
    const missing = await create400({})
    assert.deepEqual(
      missing.body.issues.map(({ path }: any) => path),
      [['name']]
    )
  })

  test('Errors / Rules 2: a query with {$self} has one issue')
    .with(Object.keys(BAD_QUERIES) as (keyof typeof BAD_QUERIES)[])
    .run(async ({ assert }, reason) => {
      const pruned = '&sort=bogus&include=bogus&fields=bogus'
      const { body } = await call(`/nodes?${BAD_QUERIES[reason]}${pruned}`)
      assert.lengthOf(body.issues, 1)
      assert.notInclude(JSON.stringify(body), 'bogus')
    })

  test('Errors / Rules 3: a forbidden key in an expression answers 400 for {$self}')
    .with(['/nodes', '/registries', '/registry-projects'])
    .run(async ({ assert }, path) => {
      for (const filter of [
        "eq(bogus,'1')",
        "or(eq(name,'x'),eq(bogus,'1'))",
        "in(host,'a','b')",
      ]) {
        const { status, body } = await call(`${path}?filter=${filter}`)
        assert.equal(status, 400, filter)
        assert.equal(body.code, 'bad_request')
      }
    })

  test('Errors / Rules 6: unknown keys in {$self} are not an error')
    .with(['filter[bogus]=1', 'sort=bogus', 'include=bogus', 'fields=bogus'])
    .run(async ({ assert, cleanup }, query) => {
      const { nodes, these } = await createNodes(2, cleanup)
      const { status, body } = await call(`/nodes?${these}&${query}`)
      assert.equal(status, 200)
      assert.sameDeepMembers(body.data, nodes)
    })

  test('Errors / Rules 6: unknown keys in a body are not an error', async ({ assert, cleanup }) => {
    const node = await create('node', { bogus: 1 }, cleanup)
    const { status } = await call(`/nodes/${node.id}`, { method: 'POST', body: { bogus: 1 } })
    assert.equal(status, 202)
  })
})
