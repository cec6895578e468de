import { test } from '@japa/runner'

import core from '#core/routes'
import { catalogue } from '#http/route_catalogue'
import { useEventSink } from '#tests/helpers/container'
import { clock } from '#kernel/clock'
import { boot } from '#tests/helpers/application'

import { call, uniqueName } from './node_scene.js'
import { admin } from './registry_scene.js'

await boot()

/** Those a caller has to be logged in for. */
const routes = catalogue.of(core).filter(({ operation }) => operation.access.kind !== 'public')

const BAD_TOKENS = ['nonsense', 'a.b.c', `${'x'.repeat(2_000)}`, '%00', '{}']

test.group('Refusals of core', () => {
  for (const { method, path } of routes) {
    const address = path.replaceAll(/:\w+/g, clock.uuid())

    test(`S11: an anonymous caller is not treated as a user at ${method} ${path}`, async ({
      assert,
    }) => {
      const { status, body } = await call(method, address, method === 'POST' ? { body: {} } : {})
      assert.equal(status, 401)
      assert.equal(body.code, 'identity_unauthorized')
    })
  }

  test('C3: an invalid token is 401 with a challenge, never an internal error', async ({
    assert,
  }) => {
    for (const token of BAD_TOKENS) {
      const headers = { authorization: `Bearer ${token}` }
      const { status, headers: answered, body } = await call('GET', '/nodes', { headers })
      assert.equal(status, 401, token)
      assert.equal(answered.get('www-authenticate'), 'Bearer error="invalid_token"')
      assert.equal(body.code, 'identity_unauthorized')
    }
  })

  test('S12: internal errors are not disclosed', async ({ assert, cleanup }) => {
    const inside = 'duplicate key value in relation "nodes" at 10.0.0.7'
    cleanup(useEventSink({ record: () => Promise.reject(new Error(inside)) }))
    const { status, body } = await call('POST', '/projects', {
      headers: admin().headers,
      body: { name: uniqueName() },
    })
    assert.equal(status, 500)
    assert.equal(body.code, 'internal_error')
    assert.isEmpty(body.issues)
    assert.notMatch(JSON.stringify(body), /duplicate|nodes|10\.0/)
  })
})
