import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { workerSecret } from '#configuration/worker_secret'
import { digestOf } from '#identity/embedded/client_secrets'
import { identityPool } from '#identity/embedded/database'
import { requireOwnSecrets } from '#identity/embedded/default_secrets'
import { canSign, readKeys } from '#identity/embedded/keys/key_store'
import { SigningKeys } from '#identity/embedded/keys/signing_keys'
import { renewWorkerSecret, seedIdentity } from '#identity/embedded/seeds'
import { identitySettings } from '#identity/identity_settings'
import { identitySweep } from '#identity/embedded/sweep'
import { PLATFORM_PERMISSIONS } from '#auth/permission_names'
import { clock, overrideClock } from '#kernel/clock'
import { appSettings } from '#settings/app_settings'
import { env } from '#start/env'
import {
  byPassword,
  bySecret,
  change,
  introspect,
  make,
  makeUser,
  PASSWORD,
  refresh,
  send,
  unique,
} from './provider.js'

const DAY_MS = 24 * 3_600_000

async function rows<Row = any>(text: string, values: unknown[] = []): Promise<Row[]> {
  const result = await identityPool().query(text, values)
  return result.rows
}

const permissionsOf = (role: string) =>
  rows<{ name: string }>(
    `select p.name from role_permissions g join roles r on r.id = g.role_id
     join permissions p on p.id = g.permission_id where r.name = $1 and r.realm_id is null`,
    [role]
  ).then((found) => found.map(({ name }) => name))

const restart = (times = 1) => Promise.all(Array.from({ length: times }, () => seedIdentity()))

test.group('First start', (group) => {
  const startAnew = async () => {
    await rows('truncate realms, roles, permissions cascade')
    await restart(5)
  }

  group.each.setup(startAnew)
  group.teardown(startAnew)

  test('seeds the database once, however many processes start', async ({ assert }) => {
    const realms = await rows('select name, built_in from realms')
    assert.deepEqual(realms, [{ name: 'master', built_in: true }])
    const users = await rows('select name, active from users')
    assert.deepEqual(users, [{ name: 'admin', active: true }])
    const clients = await rows('select name, built_in, auth_method from clients order by name')
    assert.deepEqual(clients, [
      { name: 'account-console', built_in: true, auth_method: 'none' },
      { name: 'admin-console', built_in: true, auth_method: 'none' },
      { name: 'registry', built_in: true, auth_method: 'secret' },
      { name: 'system', built_in: true, auth_method: 'secret' },
      { name: 'worker', built_in: true, auth_method: 'secret' },
    ])
    const roles = await rows('select name, realm_id from roles order by name')
    assert.deepEqual(
      roles,
      ['admin', 'researcher', 'steward'].map((name) => ({ name, realm_id: null }))
    )
  })

  test('the first start lets administrator and platform do everything', async ({ assert }) => {
    const own = [
      ...['realm', 'user', 'client', 'role', 'permission'],
      ...['scope', 'client_scope', 'policy', 'identity_provider'],
    ].flatMap((record) => ['create', 'read', 'update', 'delete'].map((verb) => `${record}_${verb}`))
    const all = [...PLATFORM_PERMISSIONS, ...own, 'user_self_manage']
    for (const { body } of [await byPassword(), await bySecret()]) {
      const { permissions } = await introspect(body.access_token)
      assert.sameMembers(
        permissions.map(({ name }: { name: string }) => name),
        all
      )
    }
  })

  test('the first start knows researchers and stewards', async ({ assert }) => {
    assert.sameMembers(await permissionsOf('researcher'), [
      ...['analysis_create', 'analysis_update', 'analysis_delete', 'analysis_approve'],
      ...['analysis_execution_start', 'analysis_execution_stop', 'analysis_result_read'],
      ...['analysis_self_message_broker_use', 'analysis_self_storage_use', 'bucket_update'],
      ...['project_create', 'project_update', 'project_delete', 'project_approve'],
      'user_self_manage',
    ])
    assert.sameMembers(await permissionsOf('steward'), [
      ...['client_read', 'client_update', 'node_create', 'node_update', 'node_delete'],
      ...['project_approve', 'analysis_approve'],
    ])
  })

  test('the first start describes built-in roles and permissions, and keeps custom descriptions', async ({
    assert,
  }) => {
    const bare = `select name from roles where built_in and description is null
      union all select name from permissions where built_in and description is null`
    assert.deepEqual(await rows(bare), [])
    await rows(`update roles set description = 'Ours' where name = 'steward'`)
    await rows(`update permissions set description = null where name = 'node_update'`)
    await seedIdentity()
    const [{ description: ours }] = await rows(
      `select description from roles where name = 'steward'`
    )
    assert.equal(ours, 'Ours')
    assert.deepEqual(await rows(bare), [])
  })

  test('the first start has a client for its worker that reads, registries with their secrets too', async ({
    assert,
  }) => {
    const { body } = await bySecret({
      client_id: 'worker',
      client_secret: workerSecret(env),
    })
    const { permissions } = await introspect(body.access_token)
    assert.deepEqual(
      permissions.map(({ name }: { name: string }) => name),
      ['registry_manage']
    )
  })

  test('the first start accepts a secret that its worker is given, also in an installation that has served before', async ({
    assert,
  }) => {
    const logIn = async (secret: string) =>
      (await bySecret({ client_id: 'worker', client_secret: secret })).status
    const own = 'a-secret-of-the-worker-alone'
    const { secrets } = identitySettings()
    const { runsWorker } = identitySettings()
    app.config.set('identity.runsWorker', false)
    app.config.set('identity.secrets', { ...secrets, WORKER_CLIENT_SECRET: own })
    try {
      await restart()
      assert.equal(await logIn(own), 200)
    } finally {
      app.config.set('identity.secrets', secrets)
    }
    await restart()
    assert.equal(await logIn(own), 200, 'a process without a worker leaves it')
    await renewWorkerSecret()
    app.config.set('identity.runsWorker', runsWorker)
    assert.equal(await logIn(workerSecret(env)), 200)
    assert.equal(await logIn(own), 401)
  })

  test('generates a unique secret for the registry', async ({ assert }) => {
    const digests = await rows('select secret_digest from clients where secret_digest is not null')
    assert.lengthOf(new Set(digests.map(({ secret_digest: digest }) => digest)), 3)
    const guessed = await bySecret({ client_id: 'registry', client_secret: 'start123' })
    assert.equal(guessed.status, 401)
  })

  test('the first start keeps a client for registries that cannot log in, not even with its secret', async ({
    assert,
  }) => {
    const secret = 'known-to-registries-1'
    await rows(`update clients set secret_digest = $1 where name = 'registry'`, [digestOf(secret)])
    const [{ id }] = await rows(`select id from clients where name = 'registry'`)
    for (const name of ['registry', 'Registry', id]) {
      const { status, body } = await bySecret({ client_id: name, client_secret: secret })
      assert.equal(status, 401)
      assert.equal(body.error, 'invalid_client')
    }
  })

  test('the first start keeps later changes', async ({ assert }) => {
    const { body } = await byPassword()
    const { sub } = await introspect(body.access_token)
    await rows('delete from users where id = $1', [sub])
    await rows(`delete from roles where name = 'steward'`)
    await rows(`update clients set secret_digest = 'x' where name = 'system'`)
    await restart(3)
    assert.lengthOf(await rows('select 1 from users'), 0)
    assert.lengthOf(await rows(`select 1 from roles where name = 'steward'`), 0)
    assert.equal((await bySecret()).status, 401)
  })

  test('the first start grants the permissions of a new version to administrators', async ({
    assert,
  }) => {
    await rows(`delete from permissions where name = 'service_manage'`)
    assert.notInclude(await permissionsOf('admin'), 'service_manage')
    await restart(3)
    assert.include(await permissionsOf('admin'), 'service_manage')
    const { body } = await bySecret()
    const { permissions } = await introspect(body.access_token)
    assert.isTrue(permissions.some(({ name }: { name: string }) => name === 'service_manage'))
  })

  test('the first start does not start in production with a well-known secret', async ({
    assert,
  }) => {
    const begin = () => requireOwnSecrets({ ...appSettings(), isProduction: true })
    await requireOwnSecrets()
    await assert.rejects(begin, /client system/)
    const [{ id: client }] = await rows(`select id from clients where name = 'system'`)
    await change('client', client, { secret: 'one of our own' })
    await assert.rejects(begin, /user admin/)
    const [{ id: user }] = await rows(`select id from users where name = 'admin'`)
    await change('user', user, { password: 'one of our own' })
    await begin()
  })

  test('the first start replaces a custom permission with the name of a built-in one', async ({
    assert,
  }) => {
    await rows(`delete from permissions where name = 'service_manage'`)
    const user = await makeUser()
    const early = await make('permission', { name: 'Service_Manage' })
    await make('userPermission', { userId: user.id, permissionId: early.id })
    await restart()
    const { body } = await byPassword({ username: user.name, password: PASSWORD })
    assert.deepEqual((await introspect(body.access_token)).permissions, [])
  })
})

test.group('Signing keys', (group) => {
  group.setup(seedIdentity)

  async function daysAfterTheNewest<T>(days: number, work: () => Promise<T>): Promise<T> {
    const [newest] = await readKeys(identityPool())
    const release = overrideClock({ now: () => newest!.createdAt + days * DAY_MS })
    try {
      return await work()
    } finally {
      release()
    }
  }

  test('keys are replaced after ninety days, by one however many processes do so', async ({
    assert,
  }) => {
    const [before] = await readKeys(identityPool())
    await daysAfterTheNewest(89, async () => {
      const { kid } = await new SigningKeys(identityPool()).current()
      assert.equal(kid, before!.kid)
    })
    await daysAfterTheNewest(90, async () => {
      const processes = Array.from({ length: 5 }, () => new SigningKeys(identityPool()))
      const keys = await Promise.all(processes.map((one) => one.current()))
      assert.lengthOf(new Set(keys.map(({ kid }) => kid)), 1)
      assert.notEqual(keys[0]!.kid, before!.kid)
      const published = await processes[0]!.published()
      assert.includeMembers(
        published.map(({ kid }) => kid),
        [keys[0]!.kid, before!.kid]
      )
      const inUse = await readKeys(identityPool())
      assert.lengthOf(inUse.filter(canSign), 1)
    })
  })

  test('retired keys are published until their last token has expired', async ({ assert }) => {
    const [before] = await readKeys(identityPool())
    await daysAfterTheNewest(90, () => new SigningKeys(identityPool()).current())
    const release = overrideClock({ now: () => before!.createdAt + 93 * DAY_MS })
    assert.isDefined(await new SigningKeys(identityPool()).find(before!.kid))
    release()
    const later = overrideClock({ now: () => before!.createdAt + 95 * DAY_MS })
    assert.isUndefined(await new SigningKeys(identityPool()).find(before!.kid))
    later()
  })

  test('keys are published without their private halves', async ({ assert }) => {
    for (const path of ['/jwks', '/realms/master/jwks']) {
      const { status, body } = await send('GET', path, undefined)
      assert.equal(status, 200)
      assert.isNotEmpty(body.keys)
      for (const key of body.keys) {
        assert.sameMembers(Object.keys(key), ['kty', 'n', 'e', 'kid', 'alg', 'use'])
      }
    }
    assert.equal((await send('GET', '/realms/nowhere/jwks', undefined)).status, 404)
    const stored = await rows('select private_key from identity_signing_keys')
    assert.notInclude(JSON.stringify(stored), 'PRIVATE KEY')
  })

  test('keys of other processes are found, unknown ids do not cause repeated queries', async ({
    assert,
  }) => {
    const here = new SigningKeys(identityPool())
    await here.current()
    const pool = identityPool()
    let reads = 0
    const { query } = pool
    pool.query = ((...parameters: Parameters<typeof query>) => {
      reads++
      return query.apply(pool, parameters)
    }) as typeof query
    for (let count = 0; count < 200; count++) {
      assert.isUndefined(await here.find(`made-up-${count}`))
    }
    pool.query = query
    assert.isAtMost(reads, 1)
    const [newest] = await readKeys(identityPool())
    const elsewhere = new SigningKeys(identityPool())
    assert.isDefined(await elsewhere.find(newest!.kid))
  })
})

test.group('Sweep of the provider', (group) => {
  group.setup(seedIdentity)

  test('the sweep deletes expired rows only', async ({ assert }) => {
    const user = await makeUser()
    const login = { username: user.name, password: PASSWORD }
    const [ended, alive] = [await byPassword(login), await byPassword(login)]
    const revoked = await bySecret()
    await send('POST', '/token/revoke', undefined, { token: revoked.body.access_token })
    await byPassword({ ...login, password: 'wrong password' })
    const sid = (token: string) => JSON.parse(atob(token.split('.')[1]!)).sid
    const past = new Date(clock.now() - 60_000)
    await rows('update identity_token_sessions set expires_at = $2 where id = $1', [
      sid(ended.body.access_token),
      past,
    ])
    await identitySweep.run(new AbortController().signal)
    const left = await rows('select id from identity_token_sessions where user_id = $1', [user.id])
    assert.deepEqual(left, [{ id: sid(alive.body.access_token) }])
    assert.isFalse((await introspect(revoked.body.access_token)).active)
    assert.equal((await refresh(alive.body.refresh_token)).status, 200)
    const release = overrideClock({ now: () => Date.now() + 3_600_000 })
    try {
      assert.isAbove(await identitySweep.run(new AbortController().signal), 1)
    } finally {
      release()
    }
    assert.lengthOf(await rows('select 1 from identity_sign_in_failures'), 0)
    assert.lengthOf(await rows('select 1 from identity_revoked_tokens'), 0)
  })

  test('the sweep deletes in batches', async ({ assert }) => {
    await rows(
      `insert into identity_revoked_tokens (id, expires_at)
       select gen_random_uuid(), now() - interval '1 day' from generate_series(1, 2500)`
    )
    assert.isAtLeast(await identitySweep.run(new AbortController().signal), 2_500)
  })
})

test.group('Discovery document of the provider', (group) => {
  group.setup(seedIdentity)

  test('the document describes each realm under its own issuer', async ({ assert }) => {
    const realm = await make('realm', { name: unique('realm') })
    const root = await send('GET', '/.well-known/openid-configuration', undefined)
    const own = await send(
      'GET',
      `/realms/${realm.name}/.well-known/openid-configuration`,
      undefined
    )
    assert.match(root.body.issuer, /\/realms\/master$/)
    assert.equal(own.body.issuer, root.body.issuer.replace(/master$/, realm.name))
    assert.equal(own.body.token_endpoint, root.body.token_endpoint)
    const { status } = await send('GET', '/realms/x/.well-known/openid-configuration', undefined)
    assert.equal(status, 404)
  })
})
