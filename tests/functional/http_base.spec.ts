import { test } from '@japa/runner'

import { SURFACE_NAMES } from '#configuration/surfaces'
import { at, isTogether } from '#tests/helpers/application'
import { identity } from '#tests/helpers/identities'

test.group('Service metadata', () => {
  test('every surface states its version and time without a login')
    .with([...SURFACE_NAMES])
    .run(async ({ client, assert }, surface) => {
      const response = await client.get(at(surface)).header('authorization', 'Bearer nonsense')
      assert.equal(response.status(), 200)
      assert.sameMembers(Object.keys(response.body()), ['version', 'timestamp'])
      assert.isString(response.body().version)
      assert.closeTo(response.body().timestamp, Date.now(), 5_000)
    })

  test('several surfaces on one port are named by a page for people', async ({
    client,
    assert,
  }) => {
    if (!isTogether()) {
      return
    }
    const page = await client.get(at('hub')).header('accept', 'text/html')
    assert.equal(page.status(), 200)
    assert.equal(page.header('content-type'), 'text/html; charset=utf-8')
    for (const prefix of ['/core/', '/storage/', '/telemetry/', '/messenger/', '/auth/']) {
      assert.include(page.text(), prefix)
    }
    const json = await client.get(at('hub')).header('accept', 'application/json')
    assert.sameMembers(Object.keys(json.body()), ['version', 'timestamp'])
  })
})

test.group('JSON responses', () => {
  const { headers } = identity()
  const LISTS = {
    core: '/nodes',
    storage: '/buckets',
    telemetry: '/events',
    messenger: '/messages',
    identity: '/users',
  }

  test('responses are never cacheable')
    .with([...SURFACE_NAMES])
    .run(async ({ assert }, surface) => {
      const requested = [
        { path: '/', status: 200 },
        { path: LISTS[surface], status: 401 },
        { path: LISTS[surface], status: 200, headers },
        {
          path: LISTS[surface],
          status: 200,
          headers: { ...headers, origin: 'https://ui.example' },
        },
        { path: '/there/is/no/such/route', status: 404, headers },
        { path: '/%ZZ', status: 400, headers },
      ]
      for (const { path, status, headers: sent = {} } of requested) {
        const response = await fetch(at(surface, path), {
          headers: { ...sent, accept: 'application/json' },
        })
        assert.equal(response.status, status, path)
        assert.equal(response.headers.get('cache-control'), 'private, no-store', path)
        if (path !== '/%ZZ') {
          assert.equal(response.headers.get('vary'), 'Authorization, Cookie, Origin', path)
        }
      }
    })

  test('responses are 304 for a caller that has them, with the same headers', async ({
    client,
    assert,
  }) => {
    const ask = () =>
      client.get(at('core', '/nodes')).header('authorization', headers.authorization)
    const first = await ask()
    const again = await ask().header('if-none-match', first.header('etag')!)
    assert.equal(again.status(), 304)
    assert.equal(again.header('cache-control'), 'private, no-store')
  })
})

test.group('Spelling of request paths', () => {
  const id = 'Ab3c'

  test('a trailing slash and the case of fixed parts make no difference')
    .with([
      '/probe/records/Ab3c',
      '/probe/records/Ab3c/',
      '/PROBE/Records/Ab3c',
      '/Probe/RECORDS/Ab3c/',
    ])
    .run(async ({ client, assert }, path) => {
      const response = await client.get(at('core', path))
      assert.equal(response.status(), 200)
      assert.equal(response.body().id, id)
    })

  test('empty segments match no path', async ({ assert }) => {
    const response = await fetch(`${at('core', '//probe/records/1')}`)
    assert.equal(response.status, 404)
  })

  test('a malformed escape in a path is a bad request', async ({ assert }) => {
    const response = await fetch(at('core', '/probe/records/%ZZ'))
    assert.equal(response.status, 400)
    assert.containsSubset(await response.json(), { code: 'bad_request' })
  })
})

test.group('Query strings and bodies arrive as they were sent', () => {
  test('a comma in a value does not make a list', async ({ client, assert }) => {
    const response = await client.get(
      at('core', '/probe/records/1?filter[name]=a,b&fields=id,name')
    )
    assert.deepEqual(response.body().query, { filter: { name: 'a,b' }, fields: 'id,name' })
  })

  test('blanks and empty text in a JSON body stay', async ({ client, assert }) => {
    const body = { a: '  keep  ', b: '', c: { d: ' ', e: null } }
    const response = await client.post(at('core', '/probe/raw-bodies')).json(body)
    assert.deepEqual(response.body().body, body)
  })

  test('blanks and empty text in a form stay', async ({ client, assert }) => {
    const response = await client.post(at('core', '/probe/raw-bodies')).form({ a: ' x ', b: '' })
    assert.deepEqual(response.body().body, { a: ' x ', b: '' })
  })
})

test.group('Caching and heads of answers', () => {
  test('a JSON GET has a weak ETag and answers 304 to clients that have it', async ({
    client,
    assert,
  }) => {
    const first = await client.get(at('core', '/probe/records/1'))
    const etag = first.header('etag')!
    assert.match(etag, /^W\/"/)
    const second = await client.get(at('core', '/probe/records/1')).header('if-none-match', etag)
    assert.equal(second.status(), 304)
    assert.equal(second.text(), '')
  })

  test('HEAD answers the head of GET without a body', async ({ assert }) => {
    const get = await fetch(at('core', '/probe/records/1'))
    const head = await fetch(at('core', '/probe/records/1'), { method: 'HEAD' })
    assert.equal(head.status, 200)
    const text = await get.text()
    assert.equal(head.headers.get('content-length'), String(text.length))
    assert.equal(await head.text(), '')
  })

  test('OPTIONS names the methods of a path', async ({ assert }) => {
    const known = await fetch(at('core', '/probe/bodies'), { method: 'OPTIONS' })
    assert.equal(known.status, 204)
    assert.equal(known.headers.get('allow'), 'POST')
    const metadata = await fetch(at('core'), { method: 'OPTIONS' })
    assert.equal(metadata.headers.get('allow'), 'GET,HEAD')
    const unknown = await fetch(at('core', '/nothing'), { method: 'OPTIONS' })
    assert.equal(unknown.headers.get('allow'), '')
  })

  test('OPTIONS for a word where other paths have an id names the methods of the word', async ({
    assert,
  }) => {
    for (const [surface, path, methods] of [
      ['telemetry', '/events/export', 'GET,HEAD'],
      ['telemetry', '/events/0198c3b8-0000-7000-8000-000000000000', 'GET,HEAD,DELETE'],
      ['core', '/master-images/command', 'POST'],
    ] as const) {
      const { headers } = await fetch(at(surface, path), { method: 'OPTIONS' })
      assert.equal(headers.get('allow'), methods, path)
    }
  })

  test('every answer carries the headers that keep browsers careful', async ({
    client,
    assert,
  }) => {
    for (const path of ['/', '/nothing']) {
      const response = await client.get(at('core', path))
      assert.equal(response.header('x-content-type-options'), 'nosniff')
      assert.equal(response.header('x-frame-options'), 'DENY')
      assert.equal(response.header('referrer-policy'), 'no-referrer')
      assert.include(response.header('content-security-policy'), "default-src 'none'")
      assert.notExists(response.header('x-powered-by'))
    }
  })
})

test.group('Request ids', () => {
  test('an id is made for a request that has none', async ({ client, assert }) => {
    const response = await client.get(at('core', '/nothing'))
    assert.match(response.header('x-request-id')!, /^[0-9a-f-]{36}$/)
  })

  test('the id a caller chose comes back', async ({ client, assert }) => {
    const response = await client.get(at('core')).header('x-request-id', 'abc-123')
    assert.equal(response.header('x-request-id'), 'abc-123')
  })

  test('an unsafe id is replaced', async ({ client, assert }) => {
    for (const id of ['a b', 'x'.repeat(200), '<script>']) {
      const response = await client.get(at('core')).header('x-request-id', id)
      assert.match(response.header('x-request-id')!, /^[0-9a-f-]{36}$/)
    }
  })
})

test.group('Cross-origin requests', () => {
  const origin = 'http://localhost:5173'

  test('pages of this machine may send credentials where no origins are named')
    .with([
      'http://localhost:5173',
      'https://127.0.0.1',
      'http://[::1]:8080',
      'http://ui.localhost',
    ])
    .run(async ({ client, assert }, local) => {
      const response = await client.get(at('core')).header('origin', local)
      assert.equal(response.header('access-control-allow-origin'), local)
      assert.equal(response.header('access-control-allow-credentials'), 'true')
    })

  test('all others may read what needs none')
    .with(['https://ui.example', 'http://localhost.evil.example', 'http://127.0.0.1.evil', 'null'])
    .run(async ({ client, assert }, foreign) => {
      const response = await client.get(at('core')).header('origin', foreign)
      assert.equal(response.header('access-control-allow-origin'), '*')
      assert.notExists(response.header('access-control-allow-credentials'))
    })

  test('an answer names the origin it is for', async ({ client, assert }) => {
    const response = await client.get(at('core')).header('origin', origin)
    assert.equal(response.header('access-control-allow-origin'), origin)
    assert.equal(response.header('access-control-allow-credentials'), 'true')
    assert.include(response.header('vary'), 'Origin')
    for (const name of [
      'ratelimit-limit',
      'retry-after',
      'etag',
      'content-disposition',
      'www-authenticate',
    ]) {
      assert.include(response.header('access-control-expose-headers'), name)
    }
  })

  test('a preflight is answered with the requested values', async ({ assert }) => {
    const response = await fetch(at('core', '/probe/bodies'), {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('access-control-allow-origin'), origin)
    assert.include(response.headers.get('access-control-allow-methods'), 'POST')
    assert.include(response.headers.get('access-control-allow-headers'), 'authorization')
    assert.isNull(response.headers.get('access-control-max-age'))
  })
})
