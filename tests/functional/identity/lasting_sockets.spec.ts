import { test } from '@japa/runner'
import type { Socket } from 'socket.io-client'

import { embeddedProvider } from '#tests/helpers/identity/embedded_provider'
import { seedIdentity } from '#identity/embedded/seeds'
import { overrideClock } from '#kernel/clock'
import {
  emitWithAck,
  connected,
  received,
  refusal,
  settled,
  socketSite,
} from '#tests/helpers/realtime/sockets'
import { WatchedVerifier } from '#tests/helpers/identity/watched_verifier'
import { stopwatch, timeGoneBy } from '#tests/helpers/stopwatch'
import {
  byPassword,
  bySecret,
  change,
  make,
  makeClient,
  makeUser,
  passRenewal,
  PASSWORD,
  post,
  refresh,
  remove,
  unique,
} from './provider.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Far longer than it takes, even on a busy machine. */
const WITHIN_MS = 60_000
const LOOKS_EVERY_MS = 150
const SECRET = 'a secret of a client'

type Site = Awaited<ReturnType<typeof socketSite>>

/** A hub with sockets for accounts of the embedded provider. */
async function siteWith(trustMs: number) {
  const provider = await embeddedProvider()
  const verifier = new WatchedVerifier(provider, { trustMs })
  await provider.onAccessChange((whose) => verifier.invalidate(whose))
  const site = await socketSite({ authenticator: verifier })
  const close = async () => {
    await site.close()
    await provider.close()
  }
  return { ...site, close, verifier }
}

async function somebody(...permissions: string[]) {
  const user = await makeUser()
  const provider = await embeddedProvider()
  const grants: Record<string, string> = {}
  for (const name of permissions) {
    const permission = (await provider.clients.permission(name))!
    const { id } = await make('userPermission', { userId: user.id, permissionId: permission.id })
    grants[name] = id
  }
  const signIn = async () =>
    (await byPassword({ username: user.name, password: PASSWORD })).body as {
      access_token: string
      refresh_token: string
    }
  return { user, grants, signIn }
}

/** Advances the clock, without firing timers, until the test ends. */
function later(cleanup: (undo: () => void) => void) {
  let offset = 0
  cleanup(overrideClock({ now: () => Date.now() + offset }))
  return (ms: number) => void (offset += ms)
}

function ending(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('disconnect', resolve)
  })
}

/** Whether a socket has ended by then, and how. */
const endedSoon = (socket: Socket) =>
  Promise.race([ending(socket), timeGoneBy(WITHIN_MS).then(() => 'it did not end')])

const emit = (site: Pick<Site, 'realtime'>, room: string) =>
  site.realtime.emit([{ namespace: '/resources', room, event: 'changed', payload: room }])

test.group('Sockets and sessions | outlasting', (group) => {
  let site: Awaited<ReturnType<typeof siteWith>>

  group.setup(seedIdentity)
  group.each.setup(async () => {
    site = await siteWith(LOOKS_EVERY_MS)
    return () => site.close()
  })

  test('a socket outlives its token, and continues when the session is renewed elsewhere', async ({
    assert,
    cleanup,
  }) => {
    const { signIn } = await somebody('node_update')
    const { access_token: token, refresh_token: refreshToken } = await signIn()
    const socket = await connected(site.connect('/resources', token))
    const events = received(socket, 'changed')
    await emitWithAck(socket, 'nodeSubscribe')
    const pass = later(cleanup)
    pass(16 * MINUTE_MS)
    await site.verifier.untilRenewed(2)
    const renewed = await refresh(refreshToken)
    assert.equal(renewed.status, 200)
    pass(16 * MINUTE_MS)
    await site.verifier.untilRenewed(2)
    assert.isTrue(socket.connected)
    await emit(site, 'node')
    await settled(socket)
    assert.deepEqual(events, ['node'])
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe', 'another'))
    const error = await refusal(site.connect('/resources', token))
    assert.equal(error.data?.code, 'identity_unauthorized')
  })

  test('a permission revoked after the token has expired ends its room', async ({
    assert,
    cleanup,
  }) => {
    const { signIn, grants } = await somebody('node_update', 'project_update')
    const { access_token: token } = await signIn()
    const socket = await connected(site.connect('/resources', token))
    const events = received(socket, 'changed')
    await emitWithAck(socket, 'nodeSubscribe')
    await emitWithAck(socket, 'projectSubscribe')
    later(cleanup)(16 * MINUTE_MS)
    await site.verifier.untilRenewed(2)
    await remove('userPermission', grants.node_update!)
    await settled(socket)
    await site.verifier.untilRenewed(2)
    await emit(site, 'node')
    await emit(site, 'project')
    await settled(socket)
    assert.deepEqual(events, ['project'])
  })

  test('a socket ends with a session that is not renewed', async ({ assert, cleanup }) => {
    const { signIn } = await somebody()
    const { access_token: token } = await signIn()
    const socket = await connected(site.connect('/resources', token))
    const pass = later(cleanup)
    pass(2 * DAY_MS)
    await site.verifier.untilRenewed(2)
    assert.isTrue(socket.connected)
    pass(DAY_MS + MINUTE_MS)
    assert.equal(await endedSoon(socket), 'io server disconnect')
  })

  test('a client, which has no session, stays for a day at most', async ({ assert, cleanup }) => {
    const { id } = await makeClient({ secret: SECRET })
    const { body } = await bySecret({ client_id: id, client_secret: SECRET })
    const socket = await connected(site.connect('/resources', body.access_token))
    const pass = later(cleanup)
    pass(23 * HOUR_MS)
    await site.verifier.untilRenewed(2)
    assert.isTrue(socket.connected)
    pass(HOUR_MS)
    assert.equal(await endedSoon(socket), 'io server disconnect')
  })
})

test.group('Sockets and sessions | ending', (group) => {
  let site: Awaited<ReturnType<typeof siteWith>>

  group.setup(async () => {
    await seedIdentity()
    site = await siteWith(MINUTE_MS)
    return () => site.close()
  })

  const enter = async (token: string) => {
    const socket = await connected(site.connect('/resources', token))
    await emitWithAck(socket, 'masterImageSubscribe')
    return socket
  }

  type Signed = Awaited<ReturnType<Awaited<ReturnType<typeof somebody>>['signIn']>>

  const ENDS: Record<string, (user: any, signed: Signed) => Promise<unknown>> = {
    'the session is ended, as by logging out': (_user, { refresh_token: token }) =>
      post('/token/revoke', { token }),
    'the token is revoked': (_user, { access_token: token }) => post('/token/revoke', { token }),
    'a refresh token is used twice': async (_user, { refresh_token: token }) => {
      await refresh(token)
      const release = passRenewal()
      await refresh(token)
      release()
    },
    'the user is deleted': ({ id }) => remove('user', id),
    'the user is deactivated': ({ id }) => change('user', id, { active: false }),
    'the password is changed': ({ id }) =>
      change('user', id, { password: 'another long password' }),
  }

  test('a socket of a user ends within a second when {0}')
    .with(Object.entries(ENDS))
    .run(async ({ assert }, [, end]) => {
      const { user, signIn } = await somebody()
      const signed = await signIn()
      const socket = await enter(signed.access_token)
      const ended = endedSoon(socket)
      await end(user, signed)
      assert.equal(await ended, 'io server disconnect')
    })

  test('another session of the user continues', async ({ assert }) => {
    const { signIn } = await somebody()
    const [signed, other] = [await signIn(), await signIn()]
    const [socket, stays] = [await enter(signed.access_token), await enter(other.access_token)]
    const ended = endedSoon(socket)
    await post('/token/revoke', { token: signed.refresh_token })
    assert.equal(await ended, 'io server disconnect')
    await settled(stays)
    assert.isTrue(stays.connected)
  })

  test('a socket of a user ends within a second when the client it came through is {0}')
    .with(
      Object.entries({
        deactivated: (id: string) => change('client', id, { active: false }),
        deleted: (id: string) => remove('client', id),
      })
    )
    .run(async ({ assert }, [, end]) => {
      const { user } = await somebody()
      const { id } = await makeClient({})
      const { body } = await byPassword({
        username: user.name,
        password: PASSWORD,
        client_id: id,
      })
      const socket = await enter(body.access_token)
      const ended = endedSoon(socket)
      await end(id)
      assert.equal(await ended, 'io server disconnect')
    })

  test('a socket of a client ends within a second when {0}')
    .with(
      Object.entries({
        'it is deleted': (id: string) => remove('client', id),
        'it is deactivated': (id: string) => change('client', id, { active: false }),
        'its secret is replaced': (id: string) => change('client', id, { secret: `${SECRET} 2` }),
      })
    )
    .run(async ({ assert }, [, end]) => {
      const { id } = await makeClient({ secret: SECRET })
      const { body } = await bySecret({ client_id: id, client_secret: SECRET })
      const socket = await enter(body.access_token)
      const ended = endedSoon(socket)
      await end(id)
      assert.equal(await ended, 'io server disconnect')
    })

  test('a socket of a client does not end when its secret stays the same', async ({ assert }) => {
    const { id } = await makeClient({ secret: SECRET })
    const { id: other } = await makeClient({ secret: SECRET })
    const tokenOf = async (client: string) =>
      (await bySecret({ client_id: client, client_secret: SECRET })).body.access_token
    const socket = await enter(await tokenOf(id))
    const ended = endedSoon(await enter(await tokenOf(other)))
    await change('client', id, { displayName: unique('Client'), secret: SECRET })
    await change('client', other, { secret: `${SECRET} 2` })
    assert.equal(await ended, 'io server disconnect')
    await settled(socket)
    assert.isTrue(socket.connected)
  })

  test('a room ends within a second with the permission it needs, given {$self}')
    .with(['itself', 'by a role', 'by a role that loses it'])
    .run(async ({ assert }, how) => {
      const { user, signIn } = await somebody('project_update')
      const permission = await (await embeddedProvider()).clients.permission('node_update')
      const role = await make('role', { name: unique('role') })
      const assignment = await make('rolePermission', {
        roleId: role.id,
        permissionId: permission!.id,
      })
      const grant = await (how === 'itself'
        ? make('userPermission', { userId: user.id, permissionId: permission!.id })
        : make('userRole', { userId: user.id, roleId: role.id }))
      const socket = await enter((await signIn()).access_token)
      const events = received(socket, 'changed')
      assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
      assert.isNull(await emitWithAck(socket, 'projectSubscribe'))
      const took = stopwatch()
      await (how === 'itself'
        ? remove('userPermission', grant.id)
        : how === 'by a role'
          ? remove('userRole', grant.id)
          : remove('rolePermission', assignment.id))
      do {
        events.splice(0)
        await emit(site, 'node')
        await settled(socket)
      } while (events.length > 0 && took() < WITHIN_MS)
      assert.isEmpty(events)
      await emit(site, 'project')
      await settled(socket)
      assert.deepEqual(events, ['project'])
      assert.containsSubset(await emitWithAck(socket, 'nodeSubscribe', '1'), {
        code: 'identity_unauthorized',
      })
    })

  test('a granted permission can be used at once', async ({ assert }) => {
    const { user, signIn } = await somebody()
    const socket = await enter((await signIn()).access_token)
    assert.containsSubset(await emitWithAck(socket, 'nodeSubscribe'), {
      code: 'identity_unauthorized',
    })
    const permission = await (await embeddedProvider()).clients.permission('node_update')
    await make('userPermission', { userId: user.id, permissionId: permission!.id })
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
  })
})
