import { randomUUID } from 'node:crypto'

import { test } from '@japa/runner'
import type { Socket } from 'socket.io-client'

import { overrideClock } from '#kernel/clock'
import { eventually } from '#tests/helpers/eventually'
import { WatchedVerifier } from '#tests/helpers/identity/watched_verifier'
import { timeGoneBy } from '#tests/helpers/stopwatch'
import {
  emitWithAck,
  connected,
  received,
  settled,
  socketSite,
} from '#tests/helpers/realtime/sockets'
import type { StoredRecord } from '#tests/unit/identity/stand_in/records'
import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from '#tests/unit/identity/subjects'

/** Replaces the default of a minute. */
const TRUST_MS = 200
/** What a busy machine may add. */
const SLACK_MS = 2_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const REFUSED = { code: 'identity_unauthorized' }

test.group('Sockets and sessions of an external provider after the token has expired', (group) => {
  let standIn: StandInProvider
  let site: Awaited<ReturnType<typeof socketSite>>
  let verifier: WatchedVerifier
  let bob: StoredRecord
  let offset: number

  const pass = (ms: number) => void (offset += ms)
  const rows = (table: string) => standIn.records.table(table)
  const permissionId = (name: string) => rows('permissions').find((one) => one.name === name)!.id
  const drop = (table: string, { id }: StoredRecord) =>
    rows(table).splice(
      rows(table).findIndex((one) => one.id === id),
      1
    )
  const grant = (name: string) =>
    standIn.records.add('user-permissions', { userId: bob.id, permissionId: permissionId(name) })

  group.each.setup(async () => {
    standIn = await StandInProvider.start()
    const realmId = standIn.realms.siteA.id
    bob = standIn.records.add('users', { name: 'bob', realmId, active: true })
    verifier = new WatchedVerifier(externalProvider(standIn), { trustMs: TRUST_MS })
    site = await socketSite({ authenticator: verifier })
    offset = 0
    const letClockGo = overrideClock({ now: () => Date.now() + offset })
    return async () => {
      letClockGo()
      await site.close()
      await standIn.goAway()
    }
  })

  const beginSession = () => {
    const expiresAt = new Date(Date.now() + 3 * DAY_MS).toISOString()
    return standIn.records.add('sessions', { sub: bob.id, expiresAt })
  }

  /** A socket whose account was observed while its token was valid. */
  const enter = async (session: StoredRecord) => {
    const exp = Math.floor((Date.now() + offset) / 1000) + standIn.lifetimeSeconds
    const token = standIn.mint({ sub: bob.id, session_id: session.id, exp })
    const socket = await connected(site.connect(`/resources/${standIn.realms.siteA.id}`, token))
    await eventually(() => standIn.count(`/sessions/${session.id}`) > 0)
    await settled(socket)
    return socket
  }

  /** Like `enter`, with an expired token. */
  const outlasting = async (session = beginSession()) => {
    const socket = await enter(session)
    await eventually(() => standIn.count('/user-roles') > 0)
    await verifier.untilRenewed(2)
    pass(16 * MINUTE_MS)
    await verifier.untilRenewed(3)
    return { socket, session }
  }

  const receives = async (socket: Socket, room: string) => {
    const events = received(socket, 'changed')
    const namespace = `/resources/${standIn.realms.siteA.id}`
    await site.realtime.emit([{ namespace, room, event: 'changed', payload: room }])
    await settled(socket)
    socket.off('changed')
    return events.length > 0
  }

  const receivesNothing = async (socket: Socket, room: string) => {
    const isOver = async () => !(await receives(socket, room))
    return eventually(isOver, TRUST_MS + SLACK_MS).catch(() => false)
  }

  test('a socket ends with its session, as by logging out, and others of the same user continue', async ({
    assert,
  }) => {
    const { socket, session } = await outlasting()
    const { socket: other } = await outlasting()
    assert.isTrue(socket.connected)
    const ended = ending(socket)
    drop('sessions', session)
    assert.equal(await ended, 'io server disconnect')
    await verifier.untilRenewed(2)
    assert.isTrue(other.connected)
  })

  test('a socket lasts beyond a day while its session is renewed, and ends when it is not', async ({
    assert,
  }) => {
    const { socket, session } = await outlasting()
    pass(2 * DAY_MS)
    await verifier.untilRenewed(2)
    session.expiresAt = new Date(Date.now() + offset + 3 * DAY_MS).toISOString()
    pass(2 * DAY_MS)
    await verifier.untilRenewed(2)
    assert.isTrue(socket.connected)
    const ended = ending(socket)
    pass(2 * DAY_MS)
    assert.equal(await ended, 'io server disconnect')
  })

  test('the provider is queried once per verdict lifetime, also after a day', async ({
    assert,
  }) => {
    const { session } = await outlasting()
    pass(DAY_MS + MINUTE_MS)
    await verifier.untilRenewed(1)
    const before = standIn.count(`/sessions/${session.id}`)
    const startedAt = performance.now()
    await verifier.untilRenewed(5)
    assert.isAtMost(standIn.count(`/sessions/${session.id}`) - before, 6)
    // A renewal comes when three quarters of the lifetime are over, and never sooner.
    assert.isAtLeast(performance.now() - startedAt, 4 * 0.75 * TRUST_MS - 10)
  })

  test('a socket ends with the {$self} of its user')
    .with(['deletion', 'deactivation'] as const)
    .run(async ({ assert }, how) => {
      const { socket } = await outlasting()
      const ended = ending(socket)
      if (how === 'deletion') {
        drop('users', bob)
      } else {
        bob.active = false
      }
      assert.equal(await ended, 'io server disconnect')
    })

  const roleId = randomUUID()
  const giveRole = () => standIn.records.add('user-roles', { roleId, userId: bob.id })
  const giveToRole = () =>
    standIn.records.add('role-permissions', { roleId, permissionId: permissionId('node_update') })

  const GRANTED_BY = {
    'itself': { table: 'user-permissions', give: () => grant('node_update') },
    'by a role': {
      table: 'user-roles',
      give: () => {
        giveToRole()
        return giveRole()
      },
    },
    'by a role that loses it': {
      table: 'role-permissions',
      give: () => {
        giveRole()
        return giveToRole()
      },
    },
  }

  test('a room ends with the permission it needs, given {$self}, and can be entered again with it')
    .with(Object.keys(GRANTED_BY) as (keyof typeof GRANTED_BY)[])
    .run(async ({ assert }, how) => {
      grant('project_update')
      const { table, give } = GRANTED_BY[how]
      const assigned = give()
      const { socket } = await outlasting()
      assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
      assert.isNull(await emitWithAck(socket, 'projectSubscribe'))
      assert.isTrue(await receives(socket, 'node'))
      drop(table, assigned)
      assert.isTrue(await receivesNothing(socket, 'node'))
      assert.containsSubset(await emitWithAck(socket, 'nodeSubscribe'), REFUSED)
      assert.isTrue(await receives(socket, 'project'))
      rows(table).push(assigned)
      await verifier.untilRenewed(2)
      assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
    })

  test('a permission of a realm replaces no global one', async ({ assert }) => {
    const assigned = grant('node_update')
    const realmId = standIn.realms.siteA.id
    const theirs = standIn.records.add('permissions', { name: 'node_update', realmId })
    const { socket } = await outlasting()
    assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
    standIn.records.add('user-permissions', { userId: bob.id, permissionId: theirs.id })
    drop('user-permissions', assigned)
    assert.isTrue(await receivesNothing(socket, 'node'))
  })

  test('hidden records end nothing within a day: {0}')
    .with([
      ['it lacks the rights', 403],
      ['the provider keeps no such records', 404],
    ] as const)
    .run(async ({ assert }, [, status]) => {
      grant('node_update')
      standIn.fail((request, answer) =>
        /^\/(sessions|user-permissions|user-roles)\b/.test(request.url!)
          ? { status, body: { statusCode: status } }
          : answer()
      )
      const { socket, session } = await outlasting()
      drop('sessions', session)
      await verifier.untilRenewed(2)
      assert.isNull(await emitWithAck(socket, 'nodeSubscribe'))
      const ended = ending(socket)
      pass(DAY_MS)
      assert.equal(await ended, 'io server disconnect')
    })
})

function ending(socket: Socket): Promise<string> {
  return Promise.race([
    new Promise<string>((resolve) => {
      socket.once('disconnect', resolve)
    }),
    timeGoneBy(TRUST_MS + SLACK_MS).then(() => 'it did not end'),
  ])
}
