import { test } from '@japa/runner'

import { IdentityUnavailable } from '#kernel/failures'
import { introspectionOf } from '#auth/oidc/claims'
import { OidcProvider } from '#auth/oidc/oidc_provider'
import { TokenVerifier } from '#auth/verification/token_verifier'

import { SigningKey } from '#tests/unit/identity/stand_in/signing_key'
import { StandInProvider, SYSTEM } from '#tests/unit/identity/stand_in/stand_in_provider'
import { CLAIMS, settingsFor } from './subjects.js'

const DISCOVERY = '/.well-known/openid-configuration'

test.group('Claims', () => {
  const told = { sub: 'ann', exp: 1_900_000_000 }

  test('each claim is read under the names that were set, also inside of objects', ({ assert }) => {
    const claims = {
      ...told,
      'tenant': { id: 'r-1', label: 'site-a' },
      'https://hub.example/kind': 'robot',
      'realm_access': { roles: ['node_create', 'offline_access'] },
    }
    const names = {
      realmId: 'tenant.id',
      realmName: 'tenant.label',
      kind: 'https://hub.example/kind',
      permissions: 'realm_access.roles',
    }
    assert.containsSubset(introspectionOf(claims, names), {
      sub: 'ann',
      sub_kind: 'robot',
      realm_id: 'r-1',
      realm_name: 'site-a',
      permissions: [{ name: 'node_create' }, { name: 'offline_access' }],
    })
  })

  test('that are missing are nothing, and leave nothing to be found', ({ assert }) => {
    assert.deepEqual(introspectionOf({ sub: 'ann' }, CLAIMS), {
      active: true,
      sub: 'ann',
      sub_kind: 'user',
      sub_name: null,
      realm_id: null,
      realm_name: null,
      client_id: null,
      scope: '',
      permissions: [],
      exp: Number.POSITIVE_INFINITY,
    })
    assert.isUndefined(introspectionOf({}, CLAIMS))
    assert.isUndefined(introspectionOf({ sub: '' }, CLAIMS))
    assert.isUndefined(introspectionOf({ sub: 7 }, CLAIMS))
  })

  test('list permissions in whatever way the provider does', ({ assert }) => {
    const held = (permissions: unknown) =>
      introspectionOf({ ...told, permissions }, CLAIMS)?.permissions.map(({ name }) => name)
    const both = ['log_read', 'log_create']
    assert.deepEqual(held(both), both)
    assert.deepEqual(held(both.map((name) => ({ name, realm_id: null }))), both)
    assert.deepEqual(held('log_read log_create'), both)
    assert.deepEqual(held('log_read,log_create'), both)
    for (const none of [undefined, null, 7, {}, '', [null, 7, {}, { name: 7 }, ['log_read']]]) {
      assert.isEmpty(held(none))
    }
  })

  test('take a subject for the client it is where nobody says more', ({ assert }) => {
    const kind = (claims: object) => introspectionOf({ ...told, ...claims }, CLAIMS)?.sub_kind
    assert.equal(kind({ client_id: 'ann' }), 'client')
    assert.equal(kind({ azp: 'ann' }), 'client')
    assert.equal(kind({ client_id: 'browser' }), 'user')
    assert.equal(kind({ client_id: 'ann', sub_kind: 'user' }), 'user')
    assert.isUndefined(kind({ sub_kind: 'service' }))
  })

  test('inherited names are no claims', ({ assert }) => {
    const names = { ...CLAIMS, realmId: 'constructor.name', realmName: '__proto__.x' }
    assert.containsSubset(introspectionOf(told, names), { realm_id: null, realm_name: null })
  })
})

test.group('Plain OpenID Connect provider', (group) => {
  let standIn: StandInProvider

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    return () => standIn.goAway()
  })

  const provider = () => new OidcProvider(settingsFor(standIn, { introspectionAuth: 'basic' }))

  /** Changes what a path is answered with. */
  const changing = (path: string, change: (body: any) => unknown) =>
    standIn.fail(async (request, answer) => {
      const reply = await answer()
      return request.url === path ? { ...reply, body: change(reply.body) } : reply
    })

  test('the provider is asked where it says', async ({ assert }) => {
    changing(DISCOVERY, (body) => ({
      ...body,
      token_endpoint: `${standIn.url}//token`,
      introspection_endpoint: `${standIn.url}///token//introspect`,
      jwks_uri: `${standIn.url}//jwks`,
    }))
    const verifier = new TokenVerifier(provider())
    const token = standIn.mint({ iss: standIn.url })
    assert.equal((await verifier.verify(token))?.id, standIn.ann.id)
    assert.equal(standIn.count(DISCOVERY), 1)
    await provider().ownToken()
    const { authorization, body } = standIn.seen.find(({ path }) => path === '/token')!
    assert.deepEqual(body, { grant_type: 'client_credentials' })
    assert.match(authorization!, /^Basic /)
    assert.include(SYSTEM.clientSecret, ' ')
  })

  test('completes what it says of a token with what it signed', async ({ assert }) => {
    changing('/token/introspect', ({ active, exp }) => ({ active, exp, username: 'ann' }))
    const actor = await new TokenVerifier(provider()).verify(
      standIn.mint({ iss: standIn.url, permissions: ['log_read'] })
    )
    assert.containsSubset(actor, { id: standIn.ann.id, name: 'ann', realmName: 'site-a' })
    assert.deepEqual([...actor!.permissions], ['log_read'])
  })

  test('the provider is not believed about another user, however much it signed', async ({
    assert,
  }) => {
    changing('/token/introspect', (body) => ({ ...body, sub: 'somebody-else' }))
    const verifier = new TokenVerifier(provider())
    assert.isUndefined(await verifier.verify(standIn.mint({ iss: standIn.url })))
  })

  test('that says nothing of its tokens vouches for them by its signature', async ({ assert }) => {
    changing(DISCOVERY, ({ introspection_endpoint: _, ...body }) => body)
    const plain = provider()
    const token = standIn.mint({ iss: standIn.url, permissions: ['log_read'] })
    assert.equal((await plain.introspect(token))?.sub, standIn.ann.id)
    assert.isUndefined(await plain.introspect(new SigningKey().sign(standIn.claims())))
    assert.isUndefined(await plain.introspect('opaque'))
    assert.isUndefined(await plain.introspect(standIn.mint({ iss: standIn.url, exp: 1 })))
  })

  test('that does not describe itself cannot be used', async ({ assert }) => {
    changing(DISCOVERY, () => ({ hello: 'world' }))
    await assert.rejects(() => provider().metadata(), IdentityUnavailable)
    await assert.rejects(() => provider().ownToken(), IdentityUnavailable)
  })
})
