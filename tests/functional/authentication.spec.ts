import { test } from '@japa/runner'

import type { Authenticator } from '#auth/authenticator'
import { IdentityUnavailable } from '#kernel/failures'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { SURFACE_NAMES } from '#configuration/surfaces'
import { at } from '#tests/helpers/application'
import { identity, testAuthenticator } from '#tests/helpers/identities'
import { FORGERIES, LIES } from '#tests/unit/identity/stand_in/forgeries'
import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from '#tests/unit/identity/subjects'

const PROTECTED = '/probe/identity'

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(at('core', path), { headers, method })

/** Uses another authenticator until the test ends. */
function vouchedForBy(authenticator: Authenticator, cleanup: (undo: () => void) => void): void {
  const before = testAuthenticator.verify
  testAuthenticator.verify = (token) => authenticator.verify(token)
  cleanup(() => void (testAuthenticator.verify = before))
}

test.group('Authentication', () => {
  const { token } = identity()

  test('a request with {0} is unauthenticated')
    .with(
      Object.entries({
        'no token': {},
        'a token that is not good': { authorization: 'Bearer nonsense' },
        'another scheme': { authorization: `Basic ${token}` },
        'a token without a scheme': { authorization: token },
        'a token that is longer than a token can be': {
          authorization: `Bearer ${'x'.repeat(12_000)}`,
        },
      })
    )
    .run(async ({ assert }, [, headers]) => {
      const response = await ask(PROTECTED, headers as Record<string, string>)
      assert.equal(response.status, 401)
      assert.equal(response.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
      const body = await response.json()
      assert.containsSubset(body, { statusCode: 401, code: 'identity_unauthorized', issues: [] })
    })

  test('an active token is accepted, with its scheme in any case', async ({ assert }) => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      assert.equal((await ask(PROTECTED, { authorization: `${scheme} ${token}` })).status, 200)
    }
  })

  test('public routes of {$self} ignore an invalid token')
    .with([...SURFACE_NAMES])
    .run(async ({ assert }, surface) => {
      for (const path of ['/', '/health/live', '/docs/openapi.json']) {
        const headers = { authorization: 'Bearer nonsense' }
        assert.equal((await fetch(at(surface, path), { headers })).status, 200, path)
      }
    })

  test('a missing permission is named', async ({ assert }) => {
    const { headers } = identity({ permissions: ['node_create'] })
    const response = await ask('/probe/permission', headers)
    assert.equal(response.status, 403)
    assert.containsSubset(await response.json(), {
      code: 'permission_denied',
      issues: [{ type: 'item', code: 'permission_not_found', path: ['node_update'], meta: {} }],
    })
  })
})

test.group('Authentication | session cookie', () => {
  const { token } = identity()
  const cookie = `access_token=${token}`

  test('a session cookie is accepted for read requests', async ({ assert }) => {
    assert.equal((await ask(PROTECTED, { cookie })).status, 200)
    assert.equal((await ask(PROTECTED, { cookie }, 'HEAD')).status, 200)
    const withScheme = `access_token=${encodeURIComponent(`Bearer ${token}`)}`
    assert.equal((await ask(PROTECTED, { cookie: withScheme })).status, 200)
  })

  test('a session cookie is rejected for write requests', async ({ assert }) => {
    for (const [method, path] of [
      ['POST', '/nodes'],
      ['DELETE', '/nodes/6f1c9a52-0000-4000-8000-000000000000'],
    ] as const) {
      assert.equal((await ask(path, { cookie }, method)).status, 401, method)
    }
  })

  test('a session cookie is rejected from pages of another site', async ({ assert }) => {
    const site = (name: string) => ({ cookie, 'sec-fetch-site': name })
    assert.equal((await ask(PROTECTED, site('same-site'))).status, 200)
    assert.equal((await ask(PROTECTED, site('cross-site'))).status, 401)
  })

  test('a session cookie is ignored if a header is sent', async ({ assert }) => {
    assert.equal((await ask(PROTECTED, { cookie, authorization: 'Bearer nonsense' })).status, 401)
    assert.equal((await ask(PROTECTED, { cookie, authorization: '' })).status, 401)
  })
})

test.group('Authentication | with a provider', (group) => {
  let standIn: StandInProvider

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    return () => standIn.goAway()
  })

  const verifier = () => new TokenVerifier(externalProvider(standIn))

  test('1,000 requests with one new token are introspected once', async ({ assert, cleanup }) => {
    vouchedForBy(verifier(), cleanup)
    const headers = { authorization: `Bearer ${standIn.mint()}` }
    const responses = await Promise.all(
      Array.from({ length: 1_000 }, () => ask(PROTECTED, headers))
    )
    assert.isTrue(responses.every(({ status }) => status === 200))
    assert.equal(standIn.count('/token/introspect'), 1)
  })

  test('a forged token or introspection is a 401', async ({ assert, cleanup }) => {
    vouchedForBy(verifier(), cleanup)
    const statusWith = async (token: string) =>
      (await ask(PROTECTED, { authorization: `Bearer ${token}` })).status
    for (const [name, forge] of Object.entries(FORGERIES)) {
      const isSendable = forge(standIn).length < 16_000
      assert.equal(await statusWith(forge(standIn)), isSendable ? 401 : 431, `a token ${name}`)
    }
    for (const [name, lie] of Object.entries(LIES)) {
      standIn.fail(async (request, answer) => {
        const reply = await answer()
        const isIntrospection = request.url === '/token/introspect'
        return isIntrospection ? { ...reply, body: lie(reply.body as never, standIn) } : reply
      })
      assert.equal(await statusWith(standIn.mint()), 401, `an answer ${name}`)
    }
    standIn.fail()
    assert.equal(await statusWith(standIn.mint()), 200)
  })

  test('permissions of the introspection decide', async ({ assert, cleanup }) => {
    vouchedForBy(verifier(), cleanup)
    const headers = { authorization: `Bearer ${standIn.mint()}` }
    assert.equal((await ask('/probe/permission', headers)).status, 200)
    const realmId = standIn.realms.siteA.id
    const { id: sub } = standIn.records.add('users', { name: 'bob', realmId })
    const other = { sub, realm_id: realmId }
    const without = { authorization: `Bearer ${standIn.mint(other)}` }
    assert.equal((await ask('/probe/permission', without)).status, 403)
  })

  test('while it is unavailable, cached tokens are accepted and others get 503', async ({
    assert,
    cleanup,
  }) => {
    vouchedForBy(verifier(), cleanup)
    const known = { authorization: `Bearer ${standIn.mint()}` }
    const unknown = { authorization: `Bearer ${standIn.mint()}` }
    await ask(PROTECTED, known)
    await standIn.goAway()
    assert.equal((await ask(PROTECTED, known)).status, 200)
    const response = await ask(PROTECTED, unknown)
    assert.equal(response.status, 503)
    assert.isNotNull(response.headers.get('retry-after'))
    assert.containsSubset(await response.json(), { code: 'identity_unavailable', issues: [] })
    await standIn.listen()
    assert.equal((await ask(PROTECTED, unknown)).status, 200)
  })

  test('public routes work while it is unavailable', async ({ assert, cleanup }) => {
    vouchedForBy({ verify: () => Promise.reject(new IdentityUnavailable()) }, cleanup)
    const headers = { authorization: 'Bearer anything' }
    const status = async (path: string, method = 'GET') => (await ask(path, headers, method)).status
    assert.equal(await status('/'), 200)
    assert.equal(await status('/HEALTH/Live/'), 200)
    assert.equal(await status('/docs/openapi.json'), 200)
    assert.equal(await status('/nothing-here'), 404)
    assert.equal(await status('/nodes', 'OPTIONS'), 204)
    assert.equal(await status('/nodes'), 503)
    assert.equal(await status('/NODES/'), 503)
    assert.equal(await status('/nodes', 'POST'), 503)
  })
})
