import { test } from '@japa/runner'
import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'

import { issuerOf } from '#identity/embedded/addresses'
import { embeddedProvider } from '#tests/helpers/identity/embedded_provider'
import { signingKeys } from '#identity/embedded/keys/signing_keys'
import { seedIdentity } from '#identity/embedded/seeds'
import { overrideClock } from '#kernel/clock'
import {
  bySecret,
  byPassword,
  change,
  introspect,
  make,
  makeClient,
  makeUser,
  PASSWORD,
  post,
  refresh,
  remove,
  send,
  SYSTEM,
  unique,
} from './provider.js'

const SECRET = 'a secret of a client'

async function loggedIn(body: Record<string, unknown> = {}) {
  const user = await makeUser(body)
  const realm = body.realmId === undefined ? undefined : { realm_id: body.realmId as string }
  const { body: tokens } = await byPassword({ username: user.name, password: PASSWORD, ...realm })
  return { user, tokens }
}

test.group('Introspection', (group) => {
  group.setup(seedIdentity)

  test('the endpoint returns the account of a token and its permissions', async ({ assert }) => {
    const { body } = await bySecret()
    const answer = await introspect(body.access_token)
    const claims = decodeJwt(body.access_token)
    assert.containSubset(answer, {
      ...claims,
      active: true,
      kind: 'access_token',
      sub_kind: 'client',
      sub_name: 'system',
      name: 'system',
      realm_name: 'master',
      client_id: claims.sub,
      scope: 'global',
    })
    const names = answer.permissions.map(({ name }: { name: string }) => name)
    assert.includeMembers(names, ['analysis_update', 'service_manage', 'realm_delete'])
    assert.sameMembers(Object.keys(answer.permissions[0]), ['name', 'client_id', 'realm_id'])
  })

  test('the endpoint returns the same in process', async ({ assert }) => {
    const { body } = await bySecret()
    const answer = await introspect(body.access_token)
    const provider = await embeddedProvider()
    const introspected = await provider.introspect(body.access_token)
    assert.containSubset(answer, { ...introspected })
  })

  test('the endpoint counts permissions of a user itself and of its roles, each once', async ({
    assert,
  }) => {
    const { user, tokens } = await loggedIn()
    const role = await make('role', { name: unique('role') })
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) => make('permission', { name: unique(name) }))
    )
    await make('rolePermission', { roleId: role.id, permissionId: one.id })
    await make('rolePermission', { roleId: role.id, permissionId: two.id })
    await make('userPermission', { userId: user.id, permissionId: two.id })
    await make('userRole', { userId: user.id, roleId: role.id })
    const { permissions } = await introspect(tokens.access_token)
    assert.sameMembers(
      permissions.map(({ name }: { name: string }) => name),
      [one.name, two.name]
    )
  })

  test('the endpoint needs no credentials, but checks those that are sent', async ({ assert }) => {
    const { body } = await bySecret()
    const parameters = { token: body.access_token }
    const basic = (secret: string) => ({ authorization: `Basic ${btoa(`system:${secret}`)}` })
    const right = await post('/token/introspect', parameters, basic(SYSTEM.client_secret))
    assert.isTrue(right.body.active)
    const wrong = await post('/token/introspect', parameters, basic('wrong secret'))
    assert.equal(wrong.status, 401)
    const json = await send('POST', '/token/introspect', undefined, parameters)
    assert.isTrue(json.body.active)
    const none = await post('/token/introspect', {})
    assert.containSubset(none, { status: 400, body: { error: 'invalid_request' } })
  })

  test('the endpoint returns only that any other text is inactive', async ({ assert }) => {
    for (const text of ['x', 'a.b.c', '.', '..', 'null', '\u0000', 'x'.repeat(20_000)]) {
      const { status, body } = await post('/token/introspect', { token: text })
      assert.equal(status, 200)
      assert.deepEqual(body, { active: false })
    }
  })

  test('a deleted or inactive user has no active tokens', async ({ assert }) => {
    const [gone, idle] = await Promise.all([loggedIn(), loggedIn()])
    await remove('user', gone.user.id)
    await change('user', idle.user.id, { active: false })
    for (const { tokens } of [gone, idle]) {
      assert.isFalse((await introspect(tokens.access_token)).active)
      assert.equal((await refresh(tokens.refresh_token)).body.code, 'invalid_grant')
    }
    await change('user', idle.user.id, { active: true })
    assert.isFalse((await introspect(idle.tokens.access_token)).active)
  })

  test('a deleted or inactive client has no active tokens', async ({ assert }) => {
    const [gone, idle] = await Promise.all([
      makeClient({ secret: SECRET }),
      makeClient({ secret: SECRET }),
    ])
    const [own, users] = [[] as string[], [] as string[]]
    for (const { id } of [gone, idle]) {
      const credentials = { client_id: id, client_secret: SECRET }
      own.push((await bySecret(credentials)).body.access_token)
      const through = await byPassword({ username: 'admin', password: 'start123', ...credentials })
      users.push(through.body.access_token)
    }
    await remove('client', gone.id)
    await change('client', idle.id, { active: false })
    for (const token of [...own, ...users]) {
      assert.isFalse((await introspect(token)).active)
    }
  })

  test('the end of a realm is the end of its tokens', async ({ assert }) => {
    const realm = await make('realm', { name: unique('realm') })
    const { tokens } = await loggedIn({ realmId: realm.id })
    assert.isTrue((await introspect(tokens.access_token)).active)
    await remove('realm', realm.id)
    assert.isFalse((await introspect(tokens.access_token)).active)
  })

  test('a new password ends older sessions', async ({ assert }) => {
    const { user, tokens } = await loggedIn()
    await change('user', user.id, { displayName: 'Somebody Else' })
    assert.isTrue((await introspect(tokens.access_token)).active)
    await change('user', user.id, { password: 'another password' })
    assert.isFalse((await introspect(tokens.access_token)).active)
    assert.equal((await refresh(tokens.refresh_token)).status, 400)
  })
})

test.group('Revocation', (group) => {
  group.setup(seedIdentity)

  test('a revocation ends an access token, and only that', async ({ assert }) => {
    const { tokens } = await loggedIn()
    const answer = await post('/token/revoke', { token: tokens.access_token })
    assert.equal(answer.status, 200)
    assert.equal(answer.body, '')
    assert.isFalse((await introspect(tokens.access_token)).active)
    assert.equal((await refresh(tokens.refresh_token)).status, 200)
  })

  test('a revocation of a refresh token ends the whole session', async ({ assert }) => {
    const { tokens } = await loggedIn()
    await post('/token/revoke', { token: tokens.refresh_token, token_type_hint: 'access_token' })
    assert.isFalse((await introspect(tokens.access_token)).active)
    assert.equal((await refresh(tokens.refresh_token)).status, 400)
  })

  test('a revocation does not tell whether the token was active', async ({ assert }) => {
    for (const token of ['x', 'a.b.c', 'x'.repeat(20_000)]) {
      assert.equal((await post('/token/revoke', { token })).status, 200)
    }
    assert.equal((await post('/token/revoke', {})).status, 400)
  })
})

test.group('Forged tokens', (group) => {
  group.setup(seedIdentity)

  /** The claims of a real token with changes, signed by another key or the provider's. */
  async function forge(
    changes: Record<string, unknown>,
    { ours = false, header = {} }: { ours?: boolean; header?: Record<string, unknown> } = {}
  ) {
    const { body } = await bySecret()
    const { kid, privateKey } = await signingKeys().current()
    const key = ours ? privateKey : (await generateKeyPair('RS256')).privateKey
    const claims = { ...decodeJwt(body.access_token), ...changes }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid, ...header })
      .sign(key)
  }

  async function isRefused(token: string) {
    const provider = await embeddedProvider()
    const { status, body } = await post('/token/introspect', { token })
    return status === 200 && body.active === false && !(await provider.introspect(token))
  }

  test('the forger of these tests creates valid tokens too', async ({ assert }) => {
    assert.isFalse(await isRefused(await forge({}, { ours: true })))
  })

  test('a token without a valid signature is rejected', async ({ assert }) => {
    const { body } = await bySecret()
    const { access_token: good } = body
    const claims = decodeJwt(good)
    const [head, payload, signature] = good.split('.')
    const elevated = Buffer.from(JSON.stringify({ ...claims, sub_kind: 'user' }))
    const none = new UnsecuredJWT(claims).encode()
    const { kid } = decodeProtectedHeader(good)
    const { publicKey } = await signingKeys().current()
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(Buffer.from(pem))
    const cases = {
      'alg none': none,
      'alg none with our signature': `${none.split('.')[0]}.${payload}.${signature}`,
      'no signature': `${head}.${payload}.`,
      'other claims': `${head}.${elevated.toString('base64url')}.${signature}`,
      'another key': await forge({}),
      'another key id': await forge({}, { ours: true, header: { kid: 'unknown' } }),
      'no key id': await forge({}, { ours: true, header: { kid: undefined } }),
      'our public key as a shared secret': shared,
    }
    for (const [name, token] of Object.entries(cases)) {
      assert.isTrue(await isRefused(token), name)
    }
  })

  test('our signature is not enough', async ({ assert }) => {
    const now = Math.floor(Date.now() / 1000)
    const other = await make('realm', { name: unique('realm') })
    const user = await loggedIn()
    const { realm_id: masterId, sub } = decodeJwt(user.tokens.access_token)
    const cases: Record<string, Record<string, unknown>> = {
      'an end in the past': { exp: now - 1 },
      'a beginning in the future': { nbf: now + 60 },
      'the issuer of another realm': { iss: issuerOf(other.name) },
      'an issuer elsewhere': { iss: 'https://elsewhere.test/realms/master' },
      'another realm': { realm_name: other.name, realm_id: other.id, iss: issuerOf(other.name) },
      'the id of another realm': { realm_id: other.id },
      'a realm under another name': { realm_name: 'Master', iss: issuerOf('Master') },
      'a refresh token': { kind: 'refresh_token' },
      'no kind': { kind: undefined },
      'an unknown kind of subject': { sub_kind: 'robot' },
      'a client that is a user': { sub_kind: 'user' },
      'a user without a session': { sub_kind: 'user', sub, sid: undefined, realm_id: masterId },
      'nobody': { sub: '00000000-0000-4000-8000-000000000000' },
      'no end': { exp: undefined },
    }
    for (const [name, changes] of Object.entries(cases)) {
      assert.isTrue(await isRefused(await forge(changes, { ours: true })), name)
    }
  })

  test('refresh and id tokens are not access tokens', async ({ assert }) => {
    const { tokens } = await loggedIn()
    assert.isTrue(await isRefused(tokens.refresh_token))
    const introspected = await send('GET', '/userinfo', tokens.refresh_token)
    assert.equal(introspected.status, 401)
  })

  test('a token expires', async ({ assert }) => {
    const { body } = await bySecret()
    const release = overrideClock({ now: () => Date.now() + 15 * 60_000 + 1_000 })
    try {
      assert.isTrue(await isRefused(body.access_token))
    } finally {
      release()
    }
  })
})

test.group('Who a token is for', (group) => {
  group.setup(seedIdentity)

  test('the subject is returned as OpenID Connect claims, mail only if requested', async ({
    assert,
  }) => {
    const user = await makeUser({ email: 'a@b.test', firstName: 'Ada', displayName: 'Ada B' })
    const login = { username: user.name, password: PASSWORD }
    const { body } = await byPassword(login)
    const introspected = await send('GET', '/userinfo', body.access_token)
    assert.equal(introspected.status, 200)
    assert.containSubset(introspected.body, {
      sub: user.id,
      name: 'Ada B',
      preferred_username: user.name,
      given_name: 'Ada',
      realm_name: 'master',
      sub_kind: 'user',
    })
    assert.notProperty(introspected.body, 'email')
    const wide = await byPassword({ ...login, scope: 'openid email unknown' })
    assert.equal(wide.body.scope, 'global openid email')
    const more = await send('GET', '/userinfo', wide.body.access_token)
    assert.equal(more.body.email, 'a@b.test')
  })

  test('the subject is returned to no other caller', async ({ assert }) => {
    for (const token of [undefined, 'x', 'a.b.c']) {
      const { status, headers, body } = await send('GET', '/userinfo', token)
      assert.equal(status, 401)
      assert.equal(body.code, 'identity_unauthorized')
      assert.equal(headers.get('www-authenticate'), 'Bearer error="invalid_token"')
    }
  })

  test('the subject works for clients, too', async ({ assert }) => {
    const { body } = await bySecret()
    const introspected = await send('GET', '/userinfo', body.access_token)
    assert.containSubset(introspected.body, { sub_kind: 'client', preferred_username: 'system' })
  })
})
