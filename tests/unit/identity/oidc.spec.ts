import { test } from '@japa/runner'

import { IdentityUnavailable } from '#kernel/failures'
import { introspectionOf } from '#auth/oidc/claims'
import { OidcProvider } from '#auth/oidc/oidc_provider'
import { TokenVerifier } from '#auth/verification/token_verifier'

import { SigningKey } from '#tests/unit/identity/stand_in/signing_key'
import { StandInProvider, SYSTEM } from '#tests/unit/identity/stand_in/stand_in_provider'
import { CLAIMS, settingsFor } from './subjects.js'

const DISCOVERY = '/.well-known/openid-configuration'

test.group('Claims of an OpenID provider', () => {
  const introspected = { sub: 'ann', exp: 1_900_000_000 }

  test('configured names are used, including paths into objects', ({ assert }) => {
    const claims = {
      ...introspected,
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

  test('missing claims are null', ({ assert }) => {
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

  test('permissions are read in every supported format', ({ assert }) => {
    const permissionsFor = (permissions: unknown) =>
      introspectionOf({ ...introspected, permissions }, CLAIMS)?.permissions.map(({ name }) => name)
    const both = ['log_read', 'log_create']
    assert.deepEqual(permissionsFor(both), both)
    assert.deepEqual(permissionsFor(both.map((name) => ({ name, realm_id: null }))), both)
    assert.deepEqual(permissionsFor('log_read log_create'), both)
    assert.deepEqual(permissionsFor('log_read,log_create'), both)
    for (const none of [undefined, null, 7, {}, '', [null, 7, {}, { name: 7 }, ['log_read']]]) {
      assert.isEmpty(permissionsFor(none))
    }
  })

  test('a subject equal to its client is a client', ({ assert }) => {
    const kind = (claims: object) =>
      introspectionOf({ ...introspected, ...claims }, CLAIMS)?.sub_kind
    assert.equal(kind({ client_id: 'ann' }), 'client')
    assert.equal(kind({ azp: 'ann' }), 'client')
    assert.equal(kind({ client_id: 'browser' }), 'user')
    assert.equal(kind({ client_id: 'ann', sub_kind: 'user' }), 'user')
    assert.isUndefined(kind({ sub_kind: 'service' }))
  })

  test('inherited names are not claims', ({ assert }) => {
    const names = { ...CLAIMS, realmId: 'constructor.name', realmName: '__proto__.x' }
    assert.containsSubset(introspectionOf(introspected, names), {
      realm_id: null,
      realm_name: null,
    })
  })
})

test.group('Plain OpenID Connect provider', (group) => {
  let standIn: StandInProvider

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    return () => standIn.goAway()
  })

  const provider = () => new OidcProvider(settingsFor(standIn, { introspectionAuth: 'basic' }))

  /** Changes the response for a path. */
  const changing = (path: string, change: (body: any) => unknown) =>
    standIn.fail(async (request, answer) => {
      const reply = await answer()
      return request.url === path ? { ...reply, body: change(reply.body) } : reply
    })

  test('the endpoints of the discovery document are used', async ({ assert }) => {
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

  test('signed claims complete the introspection', async ({ assert }) => {
    changing('/token/introspect', ({ active, exp }) => ({ active, exp, username: 'ann' }))
    const actor = await new TokenVerifier(provider()).verify(
      standIn.mint({ iss: standIn.url, permissions: ['log_read'] })
    )
    assert.containsSubset(actor, { id: standIn.ann.id, name: 'ann', realmName: 'site-a' })
    assert.deepEqual([...actor!.permissions], ['log_read'])
  })

  test('an introspection of another user is rejected', async ({ assert }) => {
    changing('/token/introspect', (body) => ({ ...body, sub: 'somebody-else' }))
    const verifier = new TokenVerifier(provider())
    assert.isUndefined(await verifier.verify(standIn.mint({ iss: standIn.url })))
  })

  test('without introspection the signature is enough', async ({ assert }) => {
    changing(DISCOVERY, ({ introspection_endpoint: _, ...body }) => body)
    const plain = provider()
    const token = standIn.mint({ iss: standIn.url, permissions: ['log_read'] })
    assert.equal((await plain.introspect(token))?.sub, standIn.ann.id)
    assert.isUndefined(await plain.introspect(new SigningKey().sign(standIn.claims())))
    assert.isUndefined(await plain.introspect('opaque'))
    assert.isUndefined(await plain.introspect(standIn.mint({ iss: standIn.url, exp: 1 })))
  })

  test('without a discovery document it is unavailable', async ({ assert }) => {
    changing(DISCOVERY, () => ({ hello: 'world' }))
    await assert.rejects(() => provider().metadata(), IdentityUnavailable)
    await assert.rejects(() => provider().ownToken(), IdentityUnavailable)
  })
})
