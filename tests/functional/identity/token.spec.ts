import { test } from '@japa/runner'
import { decodeJwt, decodeProtectedHeader } from 'jose'

import { issuerOf } from '#identity/embedded/addresses'
import { seedIdentity } from '#identity/embedded/seeds'
import { overrideClock } from '#kernel/clock'
import {
  ADMIN,
  byPassword,
  bySecret,
  introspect,
  make,
  makeClient,
  makeUser,
  passRenewal,
  PASSWORD,
  post,
  refresh,
  send,
  SYSTEM,
  token,
  unique,
} from './provider.js'

const SECRET = 'a secret of a client'
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
})

test.group('Issued access tokens', (group) => {
  group.setup(seedIdentity)

  test('a password gives an access token with everything that was agreed on', async ({
    assert,
  }) => {
    const before = Math.floor(Date.now() / 1000)
    const { status, body, headers } = await byPassword()
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'private, no-store')
    assert.properties(body, ['access_token', 'refresh_token'])
    assert.containSubset(body, {
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'global',
      refresh_token_expires_in: 259_200,
    })
    const header = decodeProtectedHeader(body.access_token)
    assert.equal(header.alg, 'RS256')
    assert.isString(header.kid)
    const claims = decodeJwt(body.access_token)
    assert.containSubset(claims, {
      iss: issuerOf('master'),
      sub_kind: 'user',
      realm_name: 'master',
      scope: 'global',
      kind: 'access_token',
    })
    assert.properties(claims, ['sub', 'realm_id', 'jti', 'iat', 'exp'])
    assert.isAtLeast(claims.iat!, before)
    assert.equal(claims.exp! - claims.iat!, 900)
    assert.equal(decodeJwt(body.refresh_token).kind, 'refresh_token')
  })

  test('a secret gives a client a token of its own, by name, by id and by HTTP Basic', async ({
    assert,
  }) => {
    const client = await makeClient({ secret: SECRET })
    const named = await bySecret({ client_id: client.name, client_secret: SECRET })
    const byId = await bySecret({ client_id: client.id, client_secret: SECRET })
    const inHeader = await token({ grant_type: 'client_credentials' }, basic(client.name, SECRET))
    for (const { status, body } of [named, byId, inHeader]) {
      assert.equal(status, 200)
      assert.notProperty(body, 'refresh_token')
      assert.containSubset(decodeJwt(body.access_token), {
        sub: client.id,
        sub_kind: 'client',
        client_id: client.id,
      })
    }
  })

  test('requests are accepted as forms and as JSON, and the realm by name and by id', async ({
    assert,
  }) => {
    const realm = await make('realm', { name: unique('realm') })
    const user = await makeUser({ realmId: realm.id })
    const login = { grant_type: 'password', username: user.name, password: PASSWORD }
    const ways: Record<string, string>[] = [
      { realm_id: realm.id },
      { realm_id: realm.name },
      { realm_name: realm.name },
    ]
    for (const named of ways) {
      const form = await post('/token', { ...login, ...named })
      const json = await send('POST', '/token', undefined, { ...login, ...named })
      for (const { status, body } of [form, json]) {
        assert.equal(status, 200)
        assert.equal(decodeJwt(body.access_token).iss, issuerOf(realm.name))
      }
    }
    const { body } = await post('/token', login)
    assert.equal(body.code, 'invalid_credentials', 'the master realm has no such user')
  })

  test('refusals have the envelope of the platform and the words of OAuth', async ({ assert }) => {
    const cases = [
      {
        of: await byPassword({ ...ADMIN, password: 'wrong password' }),
        ...{ status: 400, code: 'invalid_credentials', error: 'invalid_grant' },
        text: 'The user credentials are invalid',
      },
      {
        of: await byPassword({ username: unique('nobody'), password: 'wrong password' }),
        ...{ status: 400, code: 'invalid_credentials', error: 'invalid_grant' },
        text: 'The user credentials are invalid',
      },
      {
        of: await bySecret({ ...SYSTEM, client_secret: 'wrong secret' }),
        ...{ status: 401, code: 'invalid_client', error: 'invalid_client' },
        text: 'Client authentication failed',
      },
      {
        of: await bySecret({ client_id: unique('nobody'), client_secret: 'x' }),
        ...{ status: 401, code: 'invalid_client', error: 'invalid_client' },
        text: 'Client authentication failed',
      },
      {
        of: await refresh('no token'),
        ...{ status: 400, code: 'invalid_grant', error: 'invalid_grant' },
        text: 'The JWT is invalid',
      },
      {
        of: await token({ grant_type: 'device_code' }),
        ...{ status: 400, code: 'unsupported_token_grant_type', error: 'unsupported_grant_type' },
        text: 'grant type',
      },
      {
        of: await token({}),
        ...{ status: 400, code: 'invalid_request', error: 'invalid_request' },
        text: 'grant_type',
      },
      {
        of: await token({ grant_type: 'password', username: 'admin' }),
        ...{ status: 400, code: 'invalid_request', error: 'invalid_request' },
        text: 'password',
      },
    ]
    for (const { of, status, code, error, text } of cases) {
      assert.equal(of.status, status)
      assert.sameMembers(Object.keys(of.body), [
        ...['statusCode', 'code', 'message', 'issues'],
        ...['error', 'error_description'],
      ])
      assert.containSubset(of.body, { statusCode: status, code, error })
      assert.include(of.body.message, text)
      assert.equal(of.body.error_description, of.body.message)
      assert.equal(of.headers.get('cache-control'), 'private, no-store')
    }
  })

  test('malformed requests are rejected and never fail with 500', async ({ assert }) => {
    const odd = [
      { grant_type: ['password', 'password'] },
      { grant_type: 'password', username: { a: 1 }, password: 'x' },
      { grant_type: 'password', username: 'a\u0000b', password: 'x' },
      { grant_type: 'password', username: 'admin', password: 'x', realm_id: '\u0000' },
      { grant_type: 'password', username: 'x'.repeat(100_000), password: 'y'.repeat(100_000) },
      { grant_type: 'client_credentials', client_id: '%', client_secret: '%' },
      { grant_type: 'client_credentials' },
      { grant_type: 'refresh_token', refresh_token: 5 },
      { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x', code_verifier: 'x' },
      { grant_type: '__proto__' },
      { grant_type: 'constructor' },
      [],
    ]
    for (const body of odd) {
      const { status } = await send('POST', '/token', undefined, body)
      assert.include([400, 401], status, JSON.stringify(body).slice(0, 80))
    }
    for (const header of [
      'Basic',
      'Basic !',
      'Basic Og==',
      `Basic ${btoa('%zz:x')}`,
      'Basic OjpB',
    ]) {
      const { status, headers } = await token(
        { grant_type: 'client_credentials' },
        { authorization: header }
      )
      assert.equal(status, 401, header)
      assert.match(headers.get('www-authenticate')!, /^Basic /)
    }
    const inBody = await bySecret({ ...SYSTEM, client_secret: 'wrong secret' })
    assert.isNull(inBody.headers.get('www-authenticate'))
    const both = await token(
      { grant_type: 'client_credentials', ...SYSTEM },
      basic('system', 'start123')
    )
    assert.equal(both.body.error, 'invalid_request')
  })

  test('a client gets tokens only in the ways it is registered for', async ({ assert }) => {
    const { name: id } = await makeClient({ secret: SECRET, grantTypes: 'password, refresh_token' })
    const { status, body } = await bySecret({ client_id: id, client_secret: SECRET })
    assert.equal(status, 400)
    assert.equal(body.error, 'unauthorized_client')
    const login = await byPassword({ ...ADMIN, client_id: id, client_secret: SECRET })
    assert.equal(login.status, 200)
  })

  test('a client without a secret gets no token of its own, and one with a secret needs it', async ({
    assert,
  }) => {
    const open = await makeClient()
    const closed = await makeClient({ secret: SECRET })
    const own = await bySecret({ client_id: open.id, client_secret: 'anything' })
    assert.equal(own.body.error, 'invalid_client')
    const through = await byPassword({ ...ADMIN, client_id: open.id })
    assert.equal(decodeJwt(through.body.access_token).client_id, open.id)
    const without = await byPassword({ ...ADMIN, client_id: closed.id })
    assert.equal(without.body.error, 'invalid_client')
  })

  test('users of another realm do not get in through a client of a realm', async ({ assert }) => {
    const realm = await make('realm', { name: unique('realm') })
    const client = await makeClient({ secret: SECRET, realmId: realm.id })
    const credentials = { client_id: client.id, client_secret: SECRET }
    const { body } = await byPassword({ ...ADMIN, ...credentials })
    assert.equal(body.error, 'unauthorized_client')
  })
})

test.group('Refresh tokens', (group) => {
  group.setup(seedIdentity)

  test('each is valid once and is replaced by the next', async ({ assert }) => {
    const first = await byPassword()
    const second = await refresh(first.body.refresh_token)
    assert.equal(second.status, 200)
    assert.notEqual(second.body.refresh_token, first.body.refresh_token)
    assert.isTrue((await introspect(second.body.access_token)).active)
    const third = await refresh(second.body.refresh_token)
    assert.equal(third.status, 200)
  })

  test('reuse after the grace period ends all tokens of the session', async ({
    assert,
    cleanup,
  }) => {
    const first = await byPassword()
    const second = await refresh(first.body.refresh_token)
    cleanup(passRenewal())
    const again = await refresh(first.body.refresh_token)
    assert.equal(again.body.code, 'invalid_grant')
    assert.equal((await refresh(second.body.refresh_token)).status, 400)
    assert.isFalse((await introspect(first.body.access_token)).active)
    assert.isFalse((await introspect(second.body.access_token)).active)
  })

  test('tabs that share one and renew at the same moment get tokens of one session, again and again', async ({
    assert,
  }) => {
    let shared = (await byPassword()).body
    for (let renewal = 1; renewal <= 3; renewal++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => refresh(shared.refresh_token))
      )
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      const sessions = answers.map(({ body }) => decodeJwt(body.refresh_token))
      assert.lengthOf([...new Set(sessions.map(({ sid, jti }) => `${sid} ${jti}`))], 1)
      for (const { body } of answers) {
        assert.isTrue((await introspect(body.access_token)).active)
      }
      shared = answers.at(-1)!.body
    }
  })

  test('a token that was replaced twice is invalid, however soon it is reused', async ({
    assert,
  }) => {
    const first = await byPassword()
    const second = await refresh(first.body.refresh_token)
    const third = await refresh(second.body.refresh_token)
    assert.equal((await refresh(first.body.refresh_token)).body.code, 'invalid_grant')
    assert.equal((await refresh(third.body.refresh_token)).body.code, 'invalid_grant')
  })

  test('it is bound to the client it was given to', async ({ assert }) => {
    const [own, other] = await Promise.all([makeClient({ secret: SECRET }), makeClient()])
    const credentials = { client_id: own.id, client_secret: SECRET }
    const { body } = await byPassword({ ...ADMIN, ...credentials })
    const { refresh_token: refreshToken } = body
    assert.equal((await refresh(refreshToken)).body.error, 'invalid_grant')
    const foreign = await refresh(refreshToken, { client_id: other.id })
    assert.equal(foreign.body.error, 'invalid_grant')
    const guessed = await refresh(refreshToken, { ...credentials, client_secret: 'wrong' })
    assert.equal(guessed.body.error, 'invalid_client')
    assert.equal((await refresh(refreshToken, credentials)).status, 200)
  })

  test('an access token is not a refresh token, and no token lives longer than three days', async ({
    assert,
  }) => {
    const { body } = await byPassword()
    assert.equal((await refresh(body.access_token)).body.code, 'invalid_grant')
    const release = overrideClock({ now: () => Date.now() + 3 * 24 * 3_600_000 + 1_000 })
    try {
      assert.equal((await refresh(body.refresh_token)).body.code, 'invalid_grant')
    } finally {
      release()
    }
  })
})
