import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { mayReturnTo } from '#identity/clients/return_addresses'
import { identityPool } from '#identity/embedded/database'
import { seedIdentity } from '#identity/embedded/seeds'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import { authorizationQuery, exchange, logIn, newVerifier, Visitor } from './browsing.js'
import {
  ADMIN,
  believeProvider,
  byPassword,
  change,
  make,
  makeClient,
  makeUser,
  PASSWORD,
  refresh,
  send,
  unique,
} from './provider.js'

const SECRET = 'a secret of a client'
const UI = 'http://localhost:8080/login/callback?redirect=%2Fnodes'

const OPEN_FIELDS = ['id', 'name', 'displayName', 'description', 'builtIn']

test.group('Realms before a login', (group) => {
  group.setup(seedIdentity)
  group.setup(believeProvider)

  test('realms are listed without a token, with what a login page shows and nothing else', async ({
    assert,
  }) => {
    const { name } = await make('realm', { name: unique('realm'), displayName: 'A hospital' })
    const { status, body } = await send('GET', '/realms?sort=name', undefined)
    assert.equal(status, 200)
    for (const record of body.data) {
      assert.sameMembers(Object.keys(record), OPEN_FIELDS)
    }
    assert.sameMembers(body.meta.schema.fields.allowed, OPEN_FIELDS)
    assert.notInclude(JSON.stringify(body), 'createdAt')
    const found = await send('GET', `/realms?filter[name]=${name}`, undefined)
    assert.equal(found.body.data[0].displayName, 'A hospital')
  })

  test('realms are read one by one without a token, by id and by name', async ({ assert }) => {
    const { id, name } = await make('realm', { name: unique('realm') })
    for (const path of [`/realms/${id}`, `/realms/${name}`, `/realms/${id}?fields=id,createdAt`]) {
      const { status, body } = await send('GET', path, undefined)
      assert.equal(status, 200, path)
      assert.equal(body.data.id, id)
      assert.notProperty(body.data, 'createdAt')
    }
    assert.equal((await send('GET', '/realms/nowhere', undefined)).status, 404)
  })

  test('realms do not reveal when they were created, by filters or sorts', async ({ assert }) => {
    for (const query of ['sort=-createdAt', 'fields=%2BcreatedAt', 'filter[createdAt]=x']) {
      const { headers, body } = await send('GET', `/realms?${query}`, undefined)
      assert.match(headers.get('x-dropped-keys') ?? '', /createdAt/, query)
      assert.notProperty(body.data[0], 'createdAt', query)
    }
  })

  test('realms are complete for authenticated callers, and read-only for all others', async ({
    assert,
  }) => {
    const { body } = await byPassword()
    const list = await send('GET', '/realms', body.access_token)
    assert.includeMembers(Object.keys(list.body.data[0]), [...OPEN_FIELDS, 'createdAt'])
    const name = unique('realm')
    assert.equal((await send('POST', '/realms', undefined, { name })).status, 401)
    const token = 'no token at all'
    assert.sameMembers(Object.keys((await send('GET', '/realms', token)).body.data[0]), OPEN_FIELDS)
  })
})

test.group('Clients by name', (group) => {
  group.setup(seedIdentity)

  test('clients of the master realm sign in users of every realm', async ({ assert }) => {
    const realm = await make('realm', { name: unique('realm') })
    const user = await makeUser({ realmId: realm.id })
    const login = { username: user.name, password: PASSWORD }
    const client = await makeClient({ redirectUri: UI })
    const app = { id: client.name, redirectUri: UI }
    const { verifier, challenge } = newVerifier()
    const query = authorizationQuery(app, challenge, { realm_id: realm.id })
    const page = await logIn(new Visitor(), query, login)
    const code = page.location!.searchParams.get('code')!
    const { status, body } = await exchange(app, code, verifier, { realm_id: realm.id })
    assert.equal(status, 200)
    assert.containSubset(decodeJwt(body.access_token), {
      realm_name: realm.name,
      client_id: client.id,
    })
    const typed = await byPassword({ ...login, realm_name: realm.name, client_id: client.name })
    assert.equal(typed.status, 200)
  })

  test('clients of the named realm have precedence over those of the master realm', async ({
    assert,
  }) => {
    const realm = await make('realm', { name: unique('realm') })
    const user = await makeUser({ realmId: realm.id })
    const name = unique('client')
    const [, own] = [await makeClient({ name }), await makeClient({ name, realmId: realm.id })]
    const login = { username: user.name, password: PASSWORD, realm_name: realm.name }
    const { body } = await byPassword({ ...login, client_id: name })
    assert.equal(decodeJwt(body.access_token).client_id, own.id)
  })

  test('a code is exchanged by the client it was given to, also where the realm is not named again', async ({
    assert,
  }) => {
    const realm = await make('realm', { name: unique('realm') })
    const user = await makeUser({ realmId: realm.id })
    const app = { id: 'admin-console', redirectUri: UI }
    const named: Record<string, string>[] = [{}, { realm_name: 'master' }, { realm_id: realm.id }]
    for (const again of named) {
      const { verifier, challenge } = newVerifier()
      const query = authorizationQuery(app, challenge, { realm_id: realm.id })
      const login = { username: user.name, password: PASSWORD }
      const { location } = await logIn(new Visitor(), query, login)
      const code = location!.searchParams.get('code')!
      assert.equal((await exchange(app, code, verifier, again)).status, 200, JSON.stringify(again))
    }
  })
})

test.group('Renewal without a client', (group) => {
  group.setup(seedIdentity)

  async function signedIn(client: { id: string }, secret?: string) {
    const { body } = await byPassword({
      ...ADMIN,
      client_id: client.id,
      ...(secret !== undefined && { client_secret: secret }),
    })
    return body.refresh_token as string
  }

  test('a renewal works repeatedly for a public client', async ({ assert }) => {
    const client = await makeClient()
    let refreshToken = await signedIn(client)
    for (let round = 0; round < 3; round++) {
      const { status, body } = await refresh(refreshToken)
      assert.equal(status, 200)
      assert.equal(decodeJwt(body.access_token).client_id, client.id)
      refreshToken = body.refresh_token
    }
    assert.equal((await refresh(refreshToken, { client_id: client.name })).status, 200)
  })

  test('a renewal is refused where the client has a secret, or is not active any more', async ({
    assert,
  }) => {
    const closed = await makeClient({ secret: SECRET })
    const refused = await refresh(await signedIn(closed, SECRET))
    assert.equal(refused.body.error, 'invalid_grant')
    const client = await makeClient()
    const refreshToken = await signedIn(client)
    await change('client', client.id, { active: false })
    assert.equal((await refresh(refreshToken)).body.error, 'invalid_grant')
  })

  test('a renewal names the client of a realm by its name alone', async ({ assert }) => {
    const realm = await make('realm', { name: unique('realm') })
    const user = await makeUser({ realmId: realm.id })
    const client = await makeClient({ realmId: realm.id })
    const { body } = await byPassword({
      ...{ username: user.name, password: PASSWORD, realm_id: realm.id },
      client_id: client.name,
    })
    assert.equal((await refresh(body.refresh_token, { client_id: client.name })).status, 200)
  })
})

test.group('Clients of web interfaces', (group) => {
  group.setup(seedIdentity)

  const consolesOf = async (realmId: string) => {
    const { rows } = await identityPool().query(
      `select name, built_in, auth_method, active, grant_types from clients
       where realm_id = $1 and name like '%-console' order by name`,
      [realmId]
    )
    return rows
  }
  const EXPECTED = ['account-console', 'admin-console'].map((name) => ({
    ...{ name, built_in: true, auth_method: 'none', active: true },
    grant_types: 'authorization_code,refresh_token',
  }))

  test('the clients are in every realm: one that is made, one that was there, and master', async ({
    assert,
    cleanup,
  }) => {
    const changes: RecordChange[] = []
    const stop = useEventSink({ record: async (_, made) => void changes.push(made) })
    cleanup(stop)
    const realm = await make('realm', { name: unique('realm') })
    stop()
    assert.deepEqual(await consolesOf(realm.id), EXPECTED)
    assert.deepEqual(
      changes.map(({ kind, type }) => `${kind} ${type}`),
      ['realm created', 'client created', 'client created']
    )
    await identityPool().query('delete from clients where realm_id = $1', [realm.id])
    await Promise.all([seedIdentity(), seedIdentity()])
    assert.deepEqual(await consolesOf(realm.id), EXPECTED)
    const { rows } = await identityPool().query(`select id from realms where name = 'master'`)
    assert.deepEqual(await consolesOf(rows[0].id), EXPECTED)
  })

  test('the clients give a web interface on this machine tokens that it renews', async ({
    assert,
  }) => {
    const app = { id: 'admin-console', redirectUri: UI }
    const { verifier, challenge } = newVerifier()
    const page = await logIn(new Visitor(), authorizationQuery(app, challenge), {
      ...ADMIN,
      realm: 'master',
    })
    assert.equal(page.location!.searchParams.get('redirect'), '/nodes')
    const code = page.location!.searchParams.get('code')!
    const { status, body } = await exchange(app, code, verifier)
    assert.equal(status, 200)
    assert.equal((await refresh(body.refresh_token)).status, 200)
    const typed = await byPassword({ ...ADMIN, client_id: 'admin-console' })
    assert.equal(typed.body.error, 'unauthorized_client')
  })

  test('the clients lead back to the named interfaces, and outside production to this machine', ({
    assert,
  }) => {
    const console = {
      name: 'admin-console',
      builtIn: true,
      redirectUri: null,
      postLogoutRedirectUri: null,
    }
    const uiOrigins = ['https://ui.example.org']
    const leads = (uri: string, isProduction: boolean, client = console) =>
      mayReturnTo(client, uri, { uiOrigins, isProduction })
    for (const isProduction of [false, true]) {
      assert.isTrue(leads('https://ui.example.org/login/callback?a=*', isProduction))
      for (const uri of [
        ...[
          'http://ui.example.org/',
          'https://ui.example.org:8443/',
          'https://ui.example.org.evil',
        ],
        ...['https://evil.test/', 'https://ui.example.org@evil.test/', 'https://ui.example.org/#x'],
        ...['https://x:y@ui.example.org/', 'javascript:alert(1)', '/callback', ''],
        ...['http://localhost.evil.test/', 'https://ui.example.org\\@evil.test/'],
      ]) {
        assert.isFalse(leads(uri, isProduction), uri)
      }
      const own = { ...console, builtIn: false }
      assert.isFalse(leads('https://ui.example.org/', isProduction, own), 'only called like one')
    }
    for (const uri of ['http://localhost:8080/x', 'http://127.0.0.1/', 'http://[::1]:3/']) {
      assert.isTrue(leads(uri, false), uri)
      assert.isFalse(leads(uri, true), uri)
    }
  })

  test('any client may register an address and all that lies below it', async ({ assert }) => {
    const redirectUri = 'https://app.test/ui/**,http://localhost:8080/**'
    const client = await makeClient({ redirectUri })
    const asks = async (uri: string) => {
      const query = authorizationQuery({ id: client.id, redirectUri: uri }, newVerifier().challenge)
      return (await new Visitor().get(query)).status
    }
    for (const uri of ['https://app.test/ui/', 'https://app.test/ui/a/b?c=d', UI]) {
      assert.equal(await asks(uri), 200, uri)
    }
    for (const uri of [
      ...[
        'https://app.test/ui/../admin',
        'https://app.test/ui/%2e%2e/admin',
        'https://app.test/uix',
      ],
      ...['https://app.test/', 'http://app.test/ui/', 'https://app.test:8443/ui/'],
      ...['https://app.test.evil.test/ui/', 'https://app.test@evil.test/ui/', 'http://localhost/'],
      ...['https://app.test\\@evil.test/ui/', `https://app.test/ui/${'x'.repeat(5_000)}`],
    ]) {
      assert.equal(await asks(uri), 400, uri)
    }
  })
})

test.group('Addresses of clients', (group) => {
  group.setup(seedIdentity)
  group.setup(believeProvider)

  const registered = async (redirectUri: string) => {
    const token = (await byPassword()).body.access_token
    const body = { name: unique('client'), authMethod: 'none', redirectUri }
    return (await send('POST', '/clients', token, body)).status
  }

  test('addresses allow a wildcard at the end of web addresses only', async ({ assert }) => {
    for (const uri of [
      ...['https://*/**', 'https://*.test/**', 'https://a.test/*/cb', 'https://a.test/*'],
      ...['https://a.test/cb**', '**', '/**', 'https://**', 'app.test:/**', 'https://a.test?b=/**'],
      ...['https://a.test/***', 'https://a.test/**/**'],
    ]) {
      assert.equal(await registered(uri), 400, uri)
    }
    for (const uri of ['https://a.test/**', 'http://localhost:8080/ui/**,https://b.test/cb']) {
      assert.equal(await registered(uri), 201, uri)
    }
  })

  test('addresses are of the web or of a program, never of what a browser acts on', async ({
    assert,
  }) => {
    for (const uri of [
      ...['view-source:https://a.test/', 'javascript:alert(1)', 'data:text/html,x', 'blob:x'],
      ...['filesystem:http://a.test/', 'intent://a.test/', 'ms-word:x', 'ws://a.test/', 'ftp://a/'],
      ...['about:blank', 'chrome://settings', 'file:///etc/passwd', 'mailto:a@b.test', 'app:/cb'],
      ...['https://user:secret@a.test/cb', 'VIEW-SOURCE:https://a.test/'],
    ]) {
      assert.equal(await registered(uri), 400, uri)
    }
    for (const uri of ['https://a.test/cb', 'http://a.test/cb', 'com.example.app:/cb']) {
      assert.equal(await registered(uri), 201, uri)
    }
  })

  test('that were registered when more was allowed lead nowhere', async ({ assert }) => {
    const client = await makeClient({ redirectUri: 'https://a.test/cb' })
    const address = 'view-source:https://a.test/'
    await identityPool().query('update clients set redirect_uri = $2 where id = $1', [
      client.id,
      address,
    ])
    const query = authorizationQuery(
      { id: client.id, redirectUri: address },
      newVerifier().challenge
    )
    assert.equal((await new Visitor().get(query)).status, 400)
  })
})

test.group('Collections that web interfaces open', (group) => {
  group.setup(seedIdentity)
  group.setup(believeProvider)

  const asAdmin = async (path: string) =>
    send('GET', path, (await byPassword()).body.access_token as string)

  test('the collections contain the scopes of OpenID Connect, which clients are assigned', async ({
    assert,
  }) => {
    const token = (await byPassword()).body.access_token
    const { body } = await send('GET', '/scopes?sort=name', token)
    const builtIn = body.data.filter((scope: any) => scope.builtIn)
    assert.sameMembers(
      builtIn.map(({ name }: any) => name),
      ['global', 'openid', 'profile', 'email']
    )
    const client = await makeClient()
    const given = { clientId: client.id, scopeId: builtIn[0].id }
    assert.equal((await send('POST', '/client-scopes', token, given)).status, 201)
    const query = `filter[clientId]=${client.id}&include=scope`
    const assigned = await send('GET', `/client-scopes?${query}`, token)
    assert.equal(assigned.body.data[0].scope.name, builtIn[0].name)
    const path = `/scopes/${builtIn[0].id}`
    assert.equal((await send('DELETE', path, token)).status, 400)
    assert.equal((await send('POST', path, token, { name: 'another' })).status, 400)
    await Promise.all([seedIdentity(), seedIdentity()])
    assert.equal((await send('GET', '/scopes', token)).body.meta.total, body.meta.total)
  })

  test('the collections are empty and read-only if the provider does not support the kind', async ({
    assert,
  }) => {
    for (const path of ['/policies', '/identity-providers']) {
      const { status, body } = await asAdmin(path)
      assert.equal(status, 200, path)
      assert.deepEqual(body.data, [], path)
      const token = (await byPassword()).body.access_token
      const refused = await send('POST', path, token, { name: 'anything' })
      assert.equal(refused.status, 405, path)
      assert.equal(refused.headers.get('allow'), 'GET, HEAD')
      assert.equal(refused.body.code, 'method_not_allowed')
      assert.match(refused.body.message, /^The embedded provider .{20,}/)
    }
  })

  test('the collections have permissions of their own, which administrators get on old installations too', async ({
    assert,
  }) => {
    const names = ['scope', 'client_scope', 'policy', 'identity_provider'].flatMap((record) =>
      ['create', 'read', 'update', 'delete'].map((verb) => `${record}_${verb}`)
    )
    await identityPool().query('delete from permissions where name = any($1)', [names])
    assert.equal((await asAdmin('/identity-providers')).status, 403)
    await seedIdentity()
    const { rows } = await identityPool().query(
      `select p.name from role_permissions g join roles r on r.id = g.role_id
       join permissions p on p.id = g.permission_id where r.name = 'admin' and p.name = any($1)`,
      [names]
    )
    assert.lengthOf(rows, names.length)
    assert.equal((await asAdmin('/identity-providers')).status, 200)
  })

  test('mark built-in roles, which cannot be deleted', async ({ assert }) => {
    const token = (await byPassword()).body.access_token
    const { body } = await send('GET', '/roles?sort=name&filter[name]=admin', token)
    assert.containSubset(body.data, [{ name: 'admin', builtIn: true, realmId: null }])
    const path = `/roles/${body.data[0].id}`
    assert.equal((await send('DELETE', path, token)).status, 400)
    assert.equal((await send('POST', path, token, { name: 'another' })).status, 400)
    const own = await make('role', { name: unique('role') })
    assert.isFalse(own.builtIn)
    assert.equal((await send('DELETE', `/roles/${own.id}`, token)).status, 202)
  })
})
