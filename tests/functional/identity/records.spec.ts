import { test } from '@japa/runner'

import { identityPool } from '#identity/embedded/database'
import { seedIdentity } from '#identity/embedded/seeds'
import { useEventSink } from '#tests/helpers/container'
import type { RecordChange } from '#records/events'
import {
  believeProvider,
  byPassword,
  bySecret,
  introspect,
  make,
  makeClient,
  makeUser,
  PASSWORD,
  send,
  unique,
} from './provider.js'

const SECRET = 'a secret of a client'

async function tokenOf(user: { name: string; realmId: string }): Promise<string> {
  const { body } = await byPassword({
    username: user.name,
    password: PASSWORD,
    realm_id: user.realmId,
  })
  return body.access_token
}

/** A user with permissions, and its token. */
async function somebody(permissions: string[], body: Record<string, unknown> = {}) {
  const user = await makeUser(body)
  for (const permissionId of await idsOf(permissions)) {
    await make('userPermission', { userId: user.id, permissionId })
  }
  return { user, token: await tokenOf(user) }
}

async function idsOf(names: string[]): Promise<string[]> {
  const text = 'select id from permissions where name = any($1)'
  const { rows } = await identityPool().query<{ id: string }>(text, [names])
  return rows.map(({ id }) => id)
}

const admin = async () => (await byPassword()).body.access_token as string
const newRealm = () => make('realm', { name: unique('realm') })

test.group('Records of the provider', (group) => {
  group.setup(seedIdentity)
  group.setup(believeProvider)

  test('records are listed, read, created, changed and deleted as all others are', async ({
    assert,
  }) => {
    const token = await admin()
    const name = unique('user')
    const created = await send('POST', '/users', token, { name, password: PASSWORD })
    assert.equal(created.status, 201)
    assert.deepEqual(created.body.meta, {})
    const { id } = created.body.data
    const updated = await send('POST', `/users/${id}`, token, { displayName: 'Ada' })
    assert.containSubset(updated, { status: 202, body: { data: { id, displayName: 'Ada' } } })
    const read = await send('GET', `/users/${id}?include=realm`, token)
    assert.containSubset(read, { status: 200, body: { data: { realm: { name: 'master' } } } })
    const list = await send('GET', `/users?filter[name]=${name}`, token)
    assert.equal(list.body.meta.total, 1)
    const again = await send('POST', '/users', token, { name: name.toUpperCase() })
    assert.containSubset(again, { status: 409, body: { code: 'entity_conflict' } })
    const removed = await send('DELETE', `/users/${id}`, token)
    assert.containSubset(removed, { status: 202, body: { data: { id } } })
  })

  test('records need a caller who is logged in and may', async ({ assert }) => {
    const { token } = await somebody([])
    for (const path of ['/roles', '/permissions', '/user-roles', '/client-permissions']) {
      assert.equal((await send('GET', path, undefined)).status, 401, path)
      const { status, body } = await send('GET', path, token)
      assert.equal(status, 403, path)
      assert.equal(body.issues[0].code, 'permission_not_found')
    }
    for (const path of ['/realms', '/users', '/clients', '/roles', '/permissions']) {
      const { status, body } = await send('POST', path, token, { name: unique('name') })
      assert.equal(status, 403, path)
      assert.equal(body.issues[0].code, 'permission_not_found')
    }
    assert.equal((await send('GET', '/realms', token)).status, 200)
  })

  test('records of people and clients are shown to themselves, and else to those who may read them', async ({
    assert,
  }) => {
    const other = await makeUser()
    const { user, token } = await somebody([])
    const list = await send('GET', '/users', token)
    assert.deepEqual(
      list.body.data.map(({ id }: { id: string }) => id),
      [user.id]
    )
    assert.equal((await send('GET', `/users/${other.id}`, token)).status, 404)
    const reader = await somebody(['user_read'])
    assert.equal((await send('GET', `/users/${other.id}`, reader.token)).status, 200)
  })

  test('records of other realms are seen by the master realm only', async ({ assert }) => {
    const [realm, elsewhere] = await Promise.all([newRealm(), newRealm()])
    const inside = await somebody(['user_read', 'role_read'], { realmId: realm.id })
    const [near, far] = await Promise.all([
      makeUser({ realmId: realm.id }),
      makeUser({ realmId: elsewhere.id }),
    ])
    const list = await send('GET', '/users', inside.token)
    assert.sameMembers(
      list.body.data.map(({ id }: { id: string }) => id),
      [inside.user.id, near.id]
    )
    assert.equal((await send('GET', `/users/${far.id}`, inside.token)).status, 404)
    assert.equal((await send('GET', `/users/${far.id}`, await admin())).status, 200)
    const roles = await send('GET', '/roles?filter[name]=researcher', inside.token)
    assert.equal(roles.body.meta.total, 1, 'roles of no realm are for all of them')
  })

  test('records of other realms are written by the master realm only', async ({ assert }) => {
    const [realm, elsewhere] = await Promise.all([newRealm(), newRealm()])
    const permissions = [
      'user_create',
      'user_update',
      'user_delete',
      'realm_create',
      'realm_update',
    ]
    const { token } = await somebody([...permissions, 'realm_delete', 'role_create'], {
      realmId: realm.id,
    })
    const far = await makeUser({ realmId: elsewhere.id })
    const create = (path: string, body: object) => send('POST', path, token, body)
    const name = unique('name')
    assert.equal((await create('/users', { name, realmId: elsewhere.id })).status, 403)
    assert.equal((await create(`/users/${far.id}`, { active: false })).status, 403)
    assert.equal((await send('DELETE', `/users/${far.id}`, token)).status, 403)
    assert.equal((await create('/realms', { name })).status, 403)
    assert.equal((await create(`/realms/${elsewhere.id}`, { displayName: 'x' })).status, 403)
    assert.equal((await create('/roles', { name, realmId: null })).status, 403)
    assert.equal((await create(`/realms/${realm.id}`, { displayName: 'x' })).status, 202)
    assert.equal((await send('DELETE', `/realms/${realm.id}`, token)).status, 403)
    const own = await create('/users', { name })
    assert.equal(own.body.data.realmId, realm.id)
    assert.equal((await create('/roles', { name })).body.data.realmId, realm.id)
  })

  test('that the provider came with cannot be deleted or renamed', async ({ assert }) => {
    const token = await admin()
    const idOf = async (path: string, name: string) => {
      const { body } = await send('GET', `${path}?filter[name]=${name}`, token)
      return body.data[0].id as string
    }
    for (const [path, name] of [
      ['/realms', 'master'],
      ['/clients', 'system'],
      ['/clients', 'registry'],
      ['/permissions', 'node_update'],
    ] as const) {
      const id = await idOf(path, name)
      assert.equal((await send('DELETE', `${path}/${id}`, token)).status, 400, name)
      const renamed = await send('POST', `${path}/${id}`, token, { name: unique('other') })
      assert.equal(renamed.status, 400, name)
      const updated = await send('POST', `${path}/${id}`, token, { name, displayName: null })
      assert.equal(updated.status, 202, name)
    }
  })

  test('records can be read by name', async ({ assert }) => {
    const token = await admin()
    for (const path of ['/permissions/analysis_update', '/realms/master']) {
      const { status, body } = await send('GET', path, token)
      assert.equal(status, 200)
      assert.equal(body.data.name, path.split('/')[2])
    }
    assert.equal((await send('GET', '/permissions/no_such', token)).status, 404)
    assert.equal((await send('GET', '/permissions/%00', token)).status, 404)
  })

  test('records show a mail address if requested', async ({ assert }) => {
    const token = await admin()
    const { id } = await makeUser({ email: 'a@b.test' })
    const plain = await send('GET', `/users/${id}`, token)
    assert.notProperty(plain.body.data, 'email')
    const response = await send('GET', `/users/${id}?fields=%2Bemail`, token)
    assert.equal(response.body.data.email, 'a@b.test')
    assert.property(response.body.data, 'name')
    const only = await send('GET', `/users/${id}?fields=email`, token)
    assert.deepEqual(only.body.data, { email: 'a@b.test' })
    assert.deepInclude(plain.body.meta.schema.fields.allowed, 'email')
  })

  test('records show users themselves', async ({ assert }) => {
    const { user, token } = await somebody([])
    const { status, body } = await send('GET', '/users/@me?fields=%2Bemail', token)
    assert.equal(status, 200)
    assert.equal(body.data.id, user.id)
    assert.equal(body.id, user.id)
    assert.property(body.data, 'email')
    assert.equal(body.meta.schema.name, 'user')
    const client = await bySecret()
    assert.equal((await send('GET', '/users/@me', client.body.access_token)).status, 404)
    assert.equal((await send('GET', '/users/@me', undefined)).status, 401)
  })
})

test.group('Users of the embedded provider', (group) => {
  group.setup(seedIdentity)
  group.setup(believeProvider)

  test('users may change their own profile with the permission for it', async ({ assert }) => {
    const { user, token } = await somebody(['user_self_manage'])
    const other = await makeUser()
    const own = await send('POST', `/users/${user.id}`, token, { displayName: 'Me', email: null })
    assert.equal(own.status, 202)
    assert.equal((await send('POST', `/users/${other.id}`, token, {})).status, 403)
    for (const body of [{ active: true }, { name: unique('name') }, { nameLocked: false }]) {
      assert.equal((await send('POST', `/users/${user.id}`, token, body)).status, 403)
    }
    const changed = await send('POST', `/users/${user.id}`, token, { password: 'another password' })
    assert.equal(changed.status, 202)
    const { status } = await byPassword({ username: user.name, password: 'another password' })
    assert.equal(status, 200)
  })

  test('users cannot be changed by a caller with fewer permissions', async ({ assert }) => {
    const strong = await somebody(['registry_manage'])
    const { token } = await somebody(['user_update'])
    for (const body of [
      { password: 'mine from now on' },
      { active: false },
      { displayName: 'x' },
      { email: 'mine@b.test' },
      {},
    ]) {
      const { status, body: refusal } = await send('POST', `/users/${strong.user.id}`, token, body)
      assert.equal(status, 403)
      assert.deepEqual(refusal.issues[0].path, ['registry_manage'])
    }
    assert.equal((await send('DELETE', `/users/${strong.user.id}`, token)).status, 403)
  })

  test('users keep a locked name', async ({ assert }) => {
    const token = await admin()
    const { id, name } = await makeUser()
    const path = `/users/${id}`
    assert.equal((await send('POST', path, token, { name: unique('new') })).status, 400)
    assert.equal((await send('POST', path, token, { name })).status, 202)
    const unlocked = { name: unique('new'), nameLocked: false }
    assert.equal((await send('POST', path, token, unlocked)).status, 202)
  })

  test('users have a password that is never shown', async ({ assert }) => {
    const changes: RecordChange[] = []
    const stop = useEventSink({
      async record(_transaction, change) {
        changes.push(change)
      },
    })
    const token = await admin()
    const body = { name: unique('user'), password: 'very-secret-word' }
    const created = await send('POST', '/users', token, body)
    const { id } = created.body.data
    const answers = [
      created,
      await send('POST', `/users/${id}`, token, { password: 'very-secret-too' }),
      await send('GET', `/users/${id}?fields=%2Bpassword,password,sessionsSince`, token),
      await send('GET', '/users?fields=password&filter[password]=x&sort=password', token),
    ]
    stop()
    const { rows } = await identityPool().query('select password from users where id = $1', [id])
    const text = JSON.stringify([answers.map((answer) => answer.body), changes])
    assert.notInclude(text, 'very-secret')
    assert.notInclude(text, rows[0].password)
    assert.notInclude(text, '$scrypt')
    assert.match(rows[0].password, /^\$scrypt\$/)
  })
})

test.group('Secrets of clients', (group) => {
  group.setup(seedIdentity)
  group.setup(believeProvider)

  const secretOf = async (id: string, token: string) => {
    const { body } = await send('GET', `/clients/${id}?fields=%2Bsecret`, token)
    return body.data?.secret
  }

  test('secrets are generated if none is given, and are long', async ({ assert }) => {
    const token = await admin()
    const body = { name: unique('client'), authMethod: 'secret', isConfidential: true }
    const created = await send('POST', '/clients', token, body)
    assert.equal(created.status, 201)
    assert.isNull(created.headers.get('x-dropped-keys'))
    assert.notProperty(created.body.data, 'secret')
    const { id } = created.body.data
    const secret = await secretOf(id, token)
    assert.match(secret, /^[0-9a-f]{64}$/)
    assert.equal((await bySecret({ client_id: id, client_secret: secret })).status, 200)
  })

  test('secrets can be replaced, which invalidates the old one', async ({ assert }) => {
    const token = await admin()
    const { id } = await makeClient({ secret: SECRET })
    const body = { secret: 'b'.repeat(64), displayName: 'Rotated' }
    const { status, body: answer } = await send('POST', `/clients/${id}`, token, body)
    assert.equal(status, 202)
    assert.notInclude(JSON.stringify(answer), body.secret)
    assert.equal(await secretOf(id, token), body.secret)
    assert.equal((await bySecret({ client_id: id, client_secret: SECRET })).status, 401)
    assert.equal((await bySecret({ client_id: id, client_secret: body.secret })).status, 200)
  })

  test('secrets are stored encrypted, and are in no event', async ({ assert }) => {
    const changes: RecordChange[] = []
    const stop = useEventSink({
      async record(_transaction, change) {
        changes.push(change)
      },
    })
    const { id } = await makeClient({ secret: SECRET })
    stop()
    const { rows } = await identityPool().query('select * from clients where id = $1', [id])
    assert.notInclude(JSON.stringify(rows), SECRET)
    const { secret, secret_digest: digest } = rows[0]
    for (const hidden of [SECRET, secret, digest]) {
      assert.notInclude(JSON.stringify(changes), hidden)
    }
  })

  test('secrets are shown to the client itself, and to those of the realm who may see or change it', async ({
    assert,
  }) => {
    const realm = await newRealm()
    const here = { realmId: realm.id }
    const { id } = await makeClient({ secret: SECRET, ...here })
    const own = await bySecret({ client_id: id, client_secret: SECRET })
    assert.equal(await secretOf(id, own.body.access_token), SECRET)
    const reader = await somebody(['client_read'], here)
    assert.equal(await secretOf(id, reader.token), SECRET)
    const foreigner = await somebody(['client_read'], { realmId: (await newRealm()).id })
    assert.isUndefined(await secretOf(id, foreigner.token))
    const master = await somebody(['client_read'])
    assert.equal(await secretOf(id, master.token), SECRET)
    const nobody = await somebody([], here)
    assert.isUndefined(await secretOf(id, nobody.token))
    const list = await send('GET', `/clients?fields=%2Bsecret&filter[id]=${id}`, reader.token)
    assert.equal(list.body.data[0].secret, SECRET)
  })

  test('secrets are shown or hidden in included relations as well', async ({ assert }) => {
    const { id } = await makeClient({ secret: SECRET })
    const permission = await make('permission', { name: unique('permission') })
    await make('clientPermission', { clientId: id, permissionId: permission.id })
    const path = `/client-permissions?filter[clientId]=${id}&include=client&fields[client]=%2Bsecret`
    const seen = await send('GET', path, await admin())
    assert.equal(seen.body.data[0].client.secret, SECRET)
    const realm = await newRealm()
    const { token } = await somebody(['client_read'], { realmId: realm.id })
    const hidden = await send('GET', path, token)
    assert.lengthOf(hidden.body.data, 0)
  })

  test('secrets of the clients the provider came with are for those only who may do as much', async ({
    assert,
  }) => {
    const { rows } = await identityPool().query(`select id from clients where name = 'system'`)
    const [{ id }] = rows
    const { token } = await somebody(['client_read', 'client_update'])
    assert.isUndefined(await secretOf(id, token))
    const taken = await send('POST', `/clients/${id}`, token, { secret: 'mine from now on' })
    assert.equal(taken.status, 403)
    assert.equal(await secretOf(id, await admin()), 'start123')
  })

  test('secrets cannot be guessed by filters or sorts', async ({ assert }) => {
    const token = await admin()
    const all = await send('GET', '/clients', token)
    for (const query of [
      `filter[secret]=${SECRET}`,
      'filter[secretDigest]=x',
      'sort=secret',
      'fields=secretDigest',
    ]) {
      const { status, body } = await send('GET', `/clients?${query}`, token)
      assert.equal(status, 200)
      assert.equal(body.meta.total, all.body.meta.total, query)
      assert.notProperty(body.data[0], 'secretDigest')
    }
  })

  test('secrets lead back only to addresses that can be used', async ({ assert }) => {
    const token = await admin()
    const change = async (redirectUri: unknown) => {
      const body = { name: unique('client'), authMethod: 'none', redirectUri }
      return (await send('POST', '/clients', token, body)).status
    }
    for (const uri of [
      ...['javascript:alert(1)', 'data:text/html,x', 'https://a.test/#x', '/relative'],
      ...['https://*.test/', 'https://a.test/ b', 'https://a.test/,nonsense'],
      'https://a.test;sandbox/',
    ]) {
      assert.equal(await change(uri), 400, uri)
    }
    for (const uri of ['https://a.test/cb', 'http://localhost:8080/cb,app.test:/cb', null]) {
      assert.equal(await change(uri), 201, String(uri))
    }
  })
})

test.group('Chosen secrets', (group) => {
  group.setup(seedIdentity)
  group.setup(believeProvider)

  const GUESSED = ['short', 'password', 'START123', 'Passw0rd', 'aaaaaaaa', '12345678', 'hijklmnop']

  test('secrets of users are not easily guessed, and not the name', async ({ assert }) => {
    const token = await admin()
    const name = unique('user')
    const { body } = await send('POST', '/users', token, { name, password: PASSWORD })
    for (const password of [...GUESSED, name, name.toUpperCase()]) {
      const made = await send('POST', '/users', token, { name, password })
      const changed = await send('POST', `/users/${body.data.id}`, token, { password })
      for (const { status, body: refused } of [made, changed]) {
        assert.equal(status, 400, password)
        assert.deepEqual(refused.issues[0].path, ['password'])
      }
    }
  })

  test('secrets of clients are not easily guessed, and not the name', async ({ assert }) => {
    const token = await admin()
    const name = unique('client')
    const { body } = await send('POST', '/clients', token, { name })
    for (const secret of [...GUESSED, name, name.toUpperCase()]) {
      const made = await send('POST', '/clients', token, { name, secret })
      const changed = await send('POST', `/clients/${body.data.id}`, token, { secret })
      for (const { status, body: refused } of [made, changed]) {
        assert.equal(status, 400, secret)
        assert.deepEqual(refused.issues[0].path, ['secret'])
      }
    }
  })
})

test.group('Giving permissions', (group) => {
  group.setup(seedIdentity)
  group.setup(believeProvider)

  test('a grant takes effect at once, and so does revoking', async ({ assert }) => {
    const token = await admin()
    const { user, token: own } = await somebody([])
    const [permissionId] = await idsOf(['node_update'])
    const given = await send('POST', '/user-permissions', token, { userId: user.id, permissionId })
    assert.equal(given.status, 201)
    assert.equal(given.body.data.userRealmId, user.realmId)
    assert.lengthOf((await introspect(own)).permissions, 1)
    const removed = await send('DELETE', `/user-permissions/${given.body.data.id}`, token)
    assert.equal(removed.status, 202)
    assert.lengthOf((await introspect(own)).permissions, 0)
  })

  test('an actor grants only what it has', async ({ assert }) => {
    const realm = await newRealm()
    const here = { realmId: realm.id }
    const permissions = [
      'user_update',
      'role_update',
      'role_create',
      'client_update',
      'node_update',
    ]
    const { user, token } = await somebody([...permissions, 'permission_create'], here)
    const client = await makeClient(here)
    const give = (path: string, body: object) => send('POST', path, token, body)
    const [strong, weak] = [
      (await idsOf(['registry_manage']))[0],
      (await idsOf(['node_update']))[0],
    ]
    const role = (await give('/roles', { name: unique('role') })).body.data
    const administrators = await identityPool().query(
      `select id from roles where name = 'admin' and realm_id is null`
    )
    const refused = [
      await give('/user-permissions', { userId: user.id, permissionId: strong }),
      await give('/client-permissions', { clientId: client.id, permissionId: strong }),
      await give('/role-permissions', { roleId: role.id, permissionId: strong }),
      await give('/user-roles', { userId: user.id, roleId: administrators.rows[0].id }),
      await give('/client-roles', { clientId: client.id, roleId: administrators.rows[0].id }),
      await give('/role-permissions', {
        roleId: administrators.rows[0].id,
        permissionId: weak,
      }),
    ]
    for (const { status, body } of refused) {
      assert.equal(status, 403, body.message)
    }
    const allowed = [
      await give('/role-permissions', { roleId: role.id, permissionId: weak }),
      await give('/user-roles', { userId: user.id, roleId: role.id }),
      await give('/client-permissions', { clientId: client.id, permissionId: weak }),
    ]
    for (const { status } of allowed) {
      assert.equal(status, 201)
    }
  })

  test('a permission of a realm can be granted by that realm', async ({ assert }) => {
    const realm = await newRealm()
    const here = { realmId: realm.id }
    const { user, token } = await somebody(['permission_create', 'user_update'], here)
    const name = unique('own')
    const made = await send('POST', '/permissions', token, { name })
    const body = { userId: user.id, permissionId: made.body.data.id }
    assert.equal((await send('POST', '/user-permissions', token, body)).status, 201)
    const taken = await send('POST', '/permissions', token, { name: 'registry_manage' })
    assert.equal(taken.status, 409)
    const hidden = await send('POST', '/permissions', token, { name: 'Registry_Manage' })
    assert.equal(hidden.status, 409)
  })

  test('neither to people of other realms, nor what belongs to those', async ({ assert }) => {
    const [realm, elsewhere] = await Promise.all([newRealm(), newRealm()])
    const permissions = ['user_update', 'node_update']
    const { user, token } = await somebody(permissions, { realmId: realm.id })
    const far = await makeUser({ realmId: elsewhere.id })
    const foreignRole = await make('role', { name: unique('role'), realmId: elsewhere.id })
    const [permissionId] = await idsOf(['node_update'])
    const give = (path: string, body: object) => send('POST', path, token, body)
    const toFar = await give('/user-permissions', { userId: far.id, permissionId })
    assert.equal(toFar.status, 403)
    const fromFar = await give('/user-roles', { userId: user.id, roleId: foreignRole.id })
    assert.equal(fromFar.status, 403)
    const nothing = await give('/user-roles', { userId: user.id, roleId: permissionId })
    assert.containSubset(nothing, { status: 400, body: { code: 'entity_relation_invalid' } })
  })
})
