import { test } from '@japa/runner'

import { findClient } from '#identity/embedded/accounts'
import { identityPool } from '#identity/embedded/database'
import { embeddedProvider } from '#tests/helpers/identity/embedded_provider'
import { seedIdentity } from '#identity/embedded/seeds'
import { signToken } from '#identity/embedded/tokens/sign'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { clock } from '#kernel/clock'
import { EndSignal } from '#kernel/end_signal'
import { endSessions } from '#tests/helpers/database/database_sessions'
import { eventually } from '#tests/helpers/eventually'
import {
  bySecret,
  byPassword,
  change,
  make,
  makeClient,
  makeUser,
  PASSWORD,
  post,
  remove,
  unique,
} from './provider.js'

const SECRET = 'a secret of a client'
const GRANTED = 'node_update'

/** One verifier per process of an installation, each with a connection of its own. */
async function processes(count: number) {
  const providers = await Promise.all(Array.from({ length: count }, embeddedProvider))
  const verifiers = await Promise.all(
    providers.map(async (provider) => {
      const verifier = new TokenVerifier(provider)
      await provider.onAccessChange((whose) => verifier.invalidate(whose))
      return verifier
    })
  )
  const close = () => Promise.all(providers.map((provider) => provider.close()))
  return { providers, verifiers, close: async () => void (await close()) }
}

test.group('Access of users and clients with a token', (group) => {
  let hub: Awaited<ReturnType<typeof processes>>

  group.setup(async () => {
    await seedIdentity()
    hub = await processes(3)
    return hub.close
  })

  const actors = (token: string) =>
    Promise.all(hub.verifiers.map((verifier) => verifier.verify(token)))

  const isKnown = async (token: string) => (await actors(token)).every((actor) => actor)

  const permissionId = async (name = GRANTED) =>
    (await (await embeddedProvider()).clients.permission(name))!.id

  const user = async () => {
    const { id, name } = await makeUser()
    const { body } = await byPassword({ username: name, password: PASSWORD })
    return { kind: 'user' as const, id, name, token: body.access_token, session: body }
  }

  const client = async () => {
    const { id, name } = await makeClient({ secret: SECRET })
    const { body } = await bySecret({ client_id: id, client_secret: SECRET })
    return { kind: 'client' as const, id, name, token: body.access_token, session: body }
  }

  for (const [kind, somebody] of Object.entries({ user, client })) {
    test(`a grant to a ${kind} holds from the next request on, and so does its end`, async ({
      assert,
    }) => {
      const { id, token } = await somebody()
      const verdicts = async () =>
        (await actors(token)).map((actor) => actor!.permissions.has(GRANTED))
      assert.deepEqual(await verdicts(), [false, false, false])
      const given = { [`${kind}Id`]: id, permissionId: await permissionId() }
      const grant = await make(kind === 'user' ? 'userPermission' : 'clientPermission', given)
      assert.deepEqual(await verdicts(), [true, true, true])
      await remove(kind === 'user' ? 'userPermission' : 'clientPermission', grant.id)
      assert.deepEqual(await verdicts(), [false, false, false])
    })

    test(`a role of a ${kind} holds from the next request on, with what it gains and loses`, async ({
      assert,
    }) => {
      const { id, token } = await somebody()
      const verdicts = async () =>
        (await actors(token)).map((actor) => actor!.permissions.has(GRANTED))
      assert.deepEqual(await verdicts(), [false, false, false])
      const role = await make('role', { name: unique('role') })
      const has = await make(kind === 'user' ? 'userRole' : 'clientRole', {
        [`${kind}Id`]: id,
        roleId: role.id,
      })
      assert.deepEqual(await verdicts(), [false, false, false])
      const gives = { roleId: role.id, permissionId: await permissionId() }
      const gain = await make('rolePermission', gives)
      assert.deepEqual(await verdicts(), [true, true, true])
      await remove('rolePermission', gain.id)
      assert.deepEqual(await verdicts(), [false, false, false])
      await make('rolePermission', gives)
      assert.deepEqual(await verdicts(), [true, true, true])
      await remove(kind === 'user' ? 'userRole' : 'clientRole', has.id)
      assert.deepEqual(await verdicts(), [false, false, false])
      await make(kind === 'user' ? 'userRole' : 'clientRole', {
        [`${kind}Id`]: id,
        roleId: role.id,
      })
      assert.deepEqual(await verdicts(), [true, true, true])
      await remove('role', role.id)
      assert.deepEqual(await verdicts(), [false, false, false])
    })
  }

  for (const [kind, somebody] of Object.entries({ user, client })) {
    test(`what a ${kind} has open ends at once when it is deactivated`, async ({ assert }) => {
      const [one, other] = [await somebody(), await somebody()]
      const open = (token: string) =>
        hub.verifiers.map((verifier) => {
          const connection = new EndSignal()
          verifier.guardConnection(token, connection)
          return connection
        })
      const [ending, lasting] = [open(one.token), open(other.token)]
      assert.isTrue(await isKnown(one.token))
      await change(one.kind, one.id, { active: false })
      await eventually(() => ending.every(({ hasEnded: isOver }) => isOver), 10_000)
      assert.isFalse(lasting.some(({ hasEnded: isOver }) => isOver))
    })
  }

  test('a deleted permission is revoked from everybody', async ({ assert }) => {
    const { id, token } = await user()
    const made = await make('permission', { name: unique('permission') })
    await make('userPermission', { userId: id, permissionId: made.id })
    const verdicts = async () =>
      (await actors(token)).map((actor) => actor!.permissions.has(made.name))
    assert.deepEqual(await verdicts(), [true, true, true])
    await remove('permission', made.id)
    assert.deepEqual(await verdicts(), [false, false, false])
  })

  const NOBODY = [undefined, undefined, undefined]

  test('a user is refused with the next request when {0}')
    .with(
      Object.entries({
        'it is deactivated': ({ id }) => change('user', id, { active: false }),
        'it is deleted': ({ id }) => remove('user', id),
        'it gets another password': ({ id }) => change('user', id, { password: 'quite another' }),
        'it logs out': ({ session }) => post('/token/revoke', { token: session.refresh_token }),
        'the token is revoked': ({ token }) => post('/token/revoke', { token }),
      } satisfies Record<string, (somebody: Awaited<ReturnType<typeof user>>) => Promise<unknown>>)
    )
    .run(async ({ assert }, [, end]) => {
      const [somebody, another] = [await user(), await user()]
      assert.deepEqual(
        (await actors(somebody.token)).map((actor) => actor?.id),
        Array(3).fill(somebody.id)
      )
      const before = await actors(another.token)
      await end(somebody)
      assert.deepEqual(await actors(somebody.token), NOBODY)
      const after = await actors(another.token)
      after.forEach((actor, n) => assert.strictEqual(actor, before[n], 'others are still known'))
    })

  test('a user who is active again is accepted with the next request', async ({ assert }) => {
    const { id, name, token } = await user()
    await actors(token)
    await change('user', id, { active: false })
    assert.deepEqual(await actors(token), NOBODY)
    await change('user', id, { active: true })
    assert.deepEqual(await actors(token), NOBODY, 'what began before has ended')
    const { body } = await byPassword({ username: name, password: PASSWORD })
    assert.isDefined((await actors(body.access_token))[0])
  })

  test('the tokens of a client end when {0}, for good')
    .with(
      Object.entries({
        'its secret is replaced': (id: string) => change('client', id, { secret: 'another one' }),
        'its secret is replaced by the platform': (id: string) =>
          hub.providers[0]!.clients.rotate(id, { secret: 'another one' }),
        'it is deactivated': (id: string) => change('client', id, { active: false }),
        'it is deleted': (id: string) => remove('client', id),
      })
    )
    .run(async ({ assert }, [, end]) => {
      const { id, token } = await client()
      assert.isTrue(await isKnown(token))
      await end(id)
      assert.deepEqual(await actors(token), NOBODY)
      const { body } = await post('/token/introspect', { token })
      assert.isFalse(body.active)
      await identityPool().query('update clients set active = true where id = $1', [id])
      assert.deepEqual(await actors(token), NOBODY)
    })

  test('a client with another secret gets tokens that are good', async ({ assert }) => {
    const { id } = await client()
    for (const secret of ['the second one', 'the third one']) {
      await change('client', id, { secret })
      const { body } = await bySecret({ client_id: id, client_secret: secret })
      assert.isTrue(await isKnown(body.access_token))
    }
  })

  test('a client keeps its tokens where its secret stays the same', async ({ assert }) => {
    const { id, token } = await client()
    await change('client', id, { secret: SECRET, displayName: 'Another name' })
    assert.isTrue(await isKnown(token))
  })

  test('tokens without a generation are valid until the first revocation', async ({ assert }) => {
    const { id } = await client()
    const account = (await findClient(id, undefined))!
    const claims = { kind: 'access_token', jti: clock.uuid(), scope: 'global' } as const
    const older = await signToken(account, { ...claims, client_id: id }, 900)
    assert.isTrue(await isKnown(older))
    await change('client', id, { secret: 'another one' })
    assert.deepEqual(await actors(older), NOBODY)
  })

  test('a process drops its cache after a lost connection', async ({ assert }) => {
    const { id, token } = await user()
    await actors(token)
    await endSessions(identityPool(), 'analysis-hub identity access')
    await make('userPermission', { userId: id, permissionId: await permissionId() })
    const reconnected = async () => {
      const { rows } = await identityPool().query<{ count: number }>(
        `select count(*)::integer as count from pg_stat_activity where datname = current_database()
         and application_name = 'analysis-hub identity access' and query like 'select pg_backend_pid%'`
      )
      return rows[0]!.count >= 3
    }
    await eventually(reconnected)
    const found = await actors(token)
    assert.deepEqual(
      found.map((actor) => actor!.permissions.has(GRANTED)),
      [true, true, true]
    )
  })
})
