import { gzipSync } from 'node:zlib'

import { test } from '@japa/runner'

import { catalogue, type CataloguedRoute } from '#http/route_catalogue'
import { clock } from '#kernel/clock'
import { knownRealms } from '#tests/functional/identity/known_realms'
import { at } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'

const ID = '9b2d7a54-0000-4000-8000-000000000000'
const PROBE = '/probe/bodies'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = json
) {
  const response = await fetch(url, { method: 'POST', headers, body })
  return { response, body: (await response.json()) as Record<string, any> }
}

/** All routes with a declared body, by the address of their surface. */
const taking = (): CataloguedRoute[] =>
  catalogue.all().filter(({ method, operation }) => method === 'POST' && !operation.rawBody)

const urlOf = ({ surface, path }: CataloguedRoute) => at(surface.name, path.replace(/:\w+/g, ID))

const isOAuth = ({ surface, path }: CataloguedRoute) =>
  surface.name === 'identity' && path.startsWith('/token')

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, key])))

test.group('A body that is not an object', () => {
  test('another body than an object is refused by every route that takes a body')
    .with(['[]', '[{"name":"abcd"}]', '"text"', '12', 'true', 'null'])
    .run(async ({ assert }, sent) => {
      const headers = { ...json, ...identity().headers }
      assert.isAbove(taking().length, 30)
      for (const route of taking()) {
        const where = `${route.surface.name} ${route.path} ${sent}`
        const { response, body } = await post(urlOf(route), sent, headers)
        assert.equal(response.status, 400, where)
        assert.lengthOf(body.issues, 1, where)
        assert.containsSubset(body.issues[0], { code: 'value_invalid', path: [] }, where)
      }
    })

  test('another body than an object is refused in the words of OAuth where tokens are requested', async ({
    assert,
  }) => {
    const routes = taking().filter(isOAuth)
    assert.sameMembers(
      routes.map(({ path }) => path),
      ['/token', '/token/introspect', '/token/revoke']
    )
    for (const route of routes) {
      for (const sent of ['[]', '{"a":', nested(100), '"text"']) {
        const { response, body } = await post(urlOf(route), sent)
        assert.equal(response.status, 400)
        assert.equal(response.headers.get('cache-control'), 'private, no-store')
        assert.containsSubset(body, { statusCode: 400, error: 'invalid_request' })
        assert.equal(body.error_description, body.message)
      }
    }
  })
})

test.group('Bodies that are costly to parse', () => {
  const allowed = [
    ['64 levels', nested(64)],
    ['1,000 keys', keys(1000)],
    ['many objects with few keys', JSON.stringify({ a: Array(2000).fill({ b: 1, c: 2 }) })],
    ['brackets in a text', JSON.stringify({ a: '[{":'.repeat(1000) + '\\"' })],
  ] as const

  test('costly bodies are accepted up to their limits: {0}')
    .with([...allowed])
    .run(async ({ assert }, [, sent]) => {
      const { response } = await post(at('core', '/probe/raw-bodies'), sent)
      assert.equal(response.status, 200)
    })

  const refused = [
    ['nested 65 levels deep', nested(65), json],
    ['nested 3,000 levels deep', nested(3000), json],
    ['lists nested 3,000 levels deep', `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`, json],
    ['deep and broken', '['.repeat(500_000), json],
    ['of 1,001 keys', keys(1001), json],
    ['of 1,001 keys further inside', `{"a":[${keys(1001)}]}`, json],
    ['a form nested 3,000 levels deep', `a${'[b]'.repeat(3000)}=1`, form],
    ['a form nested by dots', `a${'.b'.repeat(3000)}=1`, form],
    ['a form of 1,001 parameters', Array(1001).fill('a=1').join('&'), form],
  ] as const

  test('costly bodies are refused before they are parsed: {0}')
    .with([...refused])
    .run(async ({ assert }, [, sent, headers]) => {
      for (const url of [at('core', '/probe/raw-bodies'), at('identity', '/token')]) {
        const { response, body } = await post(url, sent, headers)
        assert.equal(response.status, 400)
        assert.match(body.message, /64 levels|1000 keys/)
      }
    })
})

test.group('Bodies that cannot be read', () => {
  const whole = gzipSync(JSON.stringify({ name: 'abcd', publicKey: 'x'.repeat(5000) }))

  test('a compressed body that ends too early is a bad request', async ({ assert }) => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    for (const sent of [whole.subarray(0, 30), whole.subarray(0, -4), Buffer.from('no gzip')]) {
      const { response, body } = await post(at('core', PROBE), sent, headers)
      assert.equal(response.status, 400)
      assert.equal(body.code, 'bad_request')
      assert.equal((await post(at('identity', '/token'), sent, headers)).response.status, 400)
    }
  })

  test('a compressed body is read as if it were not', async ({ assert }) => {
    const { response, body } = await post(at('core', PROBE), whole, {
      ...json,
      'content-encoding': 'GZIP',
    })
    assert.equal(response.status, 200)
    assert.equal(body.name, 'abcd')
  })

  test('a compressed body may not become larger than a plain one', async ({ assert }) => {
    const bomb = gzipSync(JSON.stringify({ name: 'x'.repeat(20_000_000) }))
    const { response } = await post(at('core', PROBE), bomb, {
      ...json,
      'content-encoding': 'gzip',
    })
    assert.equal(response.status, 413)
  })

  test('a lone surrogate is rejected, as a key and as a value')
    .with([
      { sent: '{"name":"abcd","\\ud800":1}', path: ['\ufffd'] },
      { sent: '{"name":"abcd","x":{"\\uDC00y":1}}', path: ['x', '\ufffdy'] },
      { sent: '{"name":"ab\\uD83D"}', path: ['name'] },
    ])
    .run(async ({ assert }, { sent, path }) => {
      for (const url of [at('core', PROBE), at('core', '/nodes'), at('identity', '/token')]) {
        const { response, body } = await post(url, sent, { ...json, ...identity().headers })
        assert.equal(response.status, 400)
        assert.containsSubset(body.issues, [{ code: 'value_invalid', path }])
      }
    })

  test('whole pairs stay as they are', async ({ assert }) => {
    const { body } = await post(
      at('core', '/probe/raw-bodies'),
      '{"\\ud83d\\ude00":"\\ud83d\\ude00"}'
    )
    assert.deepEqual(body.body, { '😀': '😀' })
  })

  test('inherited properties are not attributes', async ({ assert }) => {
    const sent = '{"__proto__":{"admin":true},"\\u005f_proto__":1,"a":{"__proto__":1,"b":2}}'
    const { body } = await post(at('core', '/probe/raw-bodies'), sent)
    assert.deepEqual(body.body, { a: { b: 2 } })
  })
})

test.group('Malformed queries', () => {
  test('malformed queries are answered, whatever is in them')
    .with([
      `filter${'[a]'.repeat(1500)}=1`,
      `filter=${'not('.repeat(2000)}eq(name,'a')${')'.repeat(2000)}`,
      `fields=${'a.'.repeat(3000)}b`,
      `include=${'node.'.repeat(3000)}`,
      Array(4000).fill('a=1').join('&'),
      'filter[%ED%A0%80]=1&sort=%ED%A0%80&filter[name]=%ED%BF%BF',
      'filter[name]=%00&filter[%00]=1',
      'page[limit]=99999999999999999999&page[offset]=1e400',
      'page[limit]=1&page[offset]=9223372036854775807',
      'filter[__proto__]=1&filter[constructor][prototype]=2',
    ])
    .run(async ({ assert }, query) => {
      const { headers } = identity()
      for (const path of ['/nodes', `/nodes/${ID}`, '/analyses']) {
        for (const prefer of ['', 'handling=strict']) {
          const response = await fetch(`${at('core', path)}?${query}`, {
            headers: { ...headers, prefer },
          })
          assert.include([200, 400, 404], response.status, await response.text())
        }
      }
    })
})

test.group('Issues of a rejected body', () => {
  const refuse = async (path: string, sent: object) =>
    post(at('core', path), JSON.stringify(sent), { ...json, ...identity().headers })

  test('an enumeration lists its choices', async ({ assert }) => {
    const { body } = await refuse('/nodes', { name: 'abcd', type: 'weird' })
    assert.deepEqual(body.issues[0].meta, { optional: true, choices: ['default', 'aggregator'] })
    assert.equal(body.issues[0].message, 'The value has to be one of default, aggregator')
    const inside = await refuse('/analyses', {
      projectId: ID,
      imageCommandArguments: [{ value: 'abc', position: 'amid' }],
    })
    assert.deepEqual(inside.body.issues[0].meta.choices, ['before', 'after'])
    const nothing = await refuse('/nodes', { name: 'abcd', type: null })
    assert.deepEqual(nothing.body.issues[0].meta.choices, ['default', 'aggregator'])
  })

  test('a pattern describes what it allows', async ({ assert }) => {
    const { body } = await refuse('/nodes', { name: 'abcd', externalName: 'BAD NAME' })
    const [found] = body.issues
    assert.deepEqual(found.data, { pattern: '/^[a-z0-9_-]*$/' })
    assert.match(found.message, /lower-case letters, digits, hyphens and underscores/)
  })

  test('every pattern of every body comes with words', ({ assert }) => {
    for (const { surface, path, operation } of catalogue.all()) {
      const rules = JSON.stringify(operation.body?.jsonSchema() ?? {})
      const patterns = rules.match(/"pattern":/g) ?? []
      const explained = rules.match(/"pattern":"(?:[^"\\]|\\.)*","description":"/g) ?? []
      assert.lengthOf(explained, patterns.length, `${surface.name} ${path}`)
    }
  })

  test('missing attributes are listed, too', async ({ assert }) => {
    const sent = { name: 7, display_name: 'x', other: { a: 1 } }
    const { response } = await refuse('/nodes', sent)
    assert.equal(response.status, 400)
    assert.equal(response.headers.get('x-dropped-keys'), 'body.display_name, body.other')
    const dangling = await refuse('/nodes', { name: 'abcd', registryId: ID, weird: 1 })
    assert.equal(dangling.response.status, 400)
    assert.equal(dangling.response.headers.get('x-dropped-keys'), 'body.weird')
    const headers = { ...identity().headers }
    const query = await fetch(at('core', '/nodes?filter=and(&sort=nope'), {
      headers,
    })
    assert.equal(query.status, 400)
    assert.include(query.headers.get('x-dropped-keys'), 'sorts.nope')
    const strict = await fetch(at('core', '/nodes?sort=nope'), {
      headers: { ...headers, prefer: 'handling=strict' },
    })
    assert.equal(strict.status, 400)
    assert.equal(strict.headers.get('x-dropped-keys'), 'sorts.nope')
  })
})

test.group('Duplicate keys', (group) => {
  group.setup(knownRealms)
  const { headers } = identity()
  const make = (path: string, sent: object) =>
    post(at('core', path), JSON.stringify(sent), { ...json, ...headers })
  const unique = () => `n${clock.uuid().slice(0, 8)}`

  test('a conflict names each of them', async ({ assert }) => {
    const [name, host] = [unique(), `${unique()}.example.org`]
    assert.equal((await make('/registries', { name, host })).response.status, 201)
    const both = await make('/registries', { name, host })
    assert.equal(both.response.status, 409)
    assert.equal(both.body.code, 'entity_conflict')
    assert.sameDeepMembers(
      both.body.issues.map(({ code, path }: { code: string; path: string[] }) => [code, ...path]),
      [
        ['value_exists', 'name'],
        ['value_exists', 'host'],
      ]
    )
    const one = await make('/registries', { name: unique(), host })
    assert.deepEqual(one.body.issues[0].path, ['host'])
    assert.lengthOf(one.body.issues, 1)
  })

  test('a key of several attributes is one issue, also for an update', async ({ assert }) => {
    const first = await make('/nodes', { name: unique() })
    const second = await make('/nodes', { name: unique() })
    const { name } = first.body.data
    const renamed = await make(`/nodes/${second.body.data.id}`, { name })
    assert.equal(renamed.response.status, 409)
    assert.deepEqual(
      renamed.body.issues.map(({ path }: { path: string[] }) => path),
      [['name', 'realmId']]
    )
    const again = await make(`/nodes/${first.body.data.id}`, { name })
    assert.equal(again.response.status, 202)
  })

  test('so does one of a race that only the database saw', async ({ assert }) => {
    const name = unique()
    const answers = await Promise.all(Array.from({ length: 8 }, () => make('/projects', { name })))
    const refused = answers.filter(({ response }) => response.status === 409)
    assert.lengthOf(refused, 7)
    for (const { body } of refused) {
      assert.containsSubset(body.issues, [{ code: 'value_exists', path: ['name'] }])
    }
  })
})
