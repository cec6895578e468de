import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { ClientManager } from '@authup/core-realtime-kit'
import { io, type Socket } from 'socket.io-client'

import { RedisEmitter } from '#realtime/redis_emitter'
import { emitWithAck, connected, settled } from '#tests/helpers/realtime/sockets'
import { logIn, startServedPool } from '#tests/services/servers/served_pool'
import { realTime } from '#tests/helpers/real_time'

const CHANGE = {
  namespace: '/resources',
  room: 'node',
  event: 'nodeUpdated',
  payload: { data: {} },
}
const SOCKETS = 8
const GRANTS = 10
const PASSWORD = 'correct horse battery'

test('Sockets of a pool receive changes, however they connect, survive a reload, and do not delay the stop', async ({
  assert,
  cleanup,
}) => {
  const { hub, redisUrl } = await startServedPool(cleanup)
  const emitter = await RedisEmitter.connect(redisUrl)
  cleanup(() => emitter.close())
  const token = await logIn(hub.origin)
  const open = (transports: string[]): Socket => {
    const socket = io(`${hub.origin}/resources`, {
      path: '/core/socket.io',
      transports,
      auth: { token },
      forceNew: true,
      reconnectionDelay: 100,
      reconnectionDelayMax: 500,
    })
    cleanup(() => void socket.disconnect())
    return socket
  }
  const openAsPage = (): Socket => {
    const manager = new ClientManager({ url: `${hub.origin}/core/`, token: () => token })
    const socket = manager.inject('/resources') as unknown as Socket
    socket.connect()
    cleanup(() => void socket.disconnect())
    return socket
  }

  const sockets = [
    ...Array.from({ length: 2 }, () => open(['polling', 'websocket'])),
    ...Array.from({ length: 2 }, openAsPage),
    ...Array.from({ length: 2 }, () => open(['polling'])),
    ...Array.from({ length: 2 }, () => open(['websocket'])),
  ]
  /** A process subscribes to changes a moment after the first socket joined its namespace. */
  const isReached = async () => {
    await emitter.emit([CHANGE])
    return reached.size === SOCKETS
  }

  let subscribed = 0
  let received = 0
  const reached = new Set<Socket>()
  for (const socket of sockets) {
    socket.on('nodeUpdated', () => {
      received += 1
      reached.add(socket)
    })
    // A process that stops before it responds is not the last one that the socket tries.
    socket.on('connect', () => {
      emitWithAck(socket, 'nodeSubscribe').then(
        (refused) => (subscribed += refused === null ? 1 : 0),
        () => {}
      )
    })
  }
  await Promise.all(sockets.map(connected))
  await hub.until('all had subscribed', () => subscribed === SOCKETS)
  await hub.until('all were told', isReached)

  await requireGrantsApplyAtOnce(hub.origin, token, assert)

  hub.signal('SIGHUP')
  await hub.until('all came back after the reload', () => subscribed >= 2 * SOCKETS)
  await hub.until('it was reloaded', () => hub.output.includes('every process was replaced'))
  reached.clear()
  await hub.until('all are reached again', isReached)
  await realTime(1_000, 'earlier events reach other processes on their own')
  received = 0
  await emitter.emit([CHANGE])
  await hub.until('all were told again', () => received >= SOCKETS)
  await Promise.all(sockets.map(settled))
  assert.equal(received, SOCKETS)

  const cutOff = AbortSignal.timeout(200_000)
  hub.signal('SIGTERM')
  assert.equal(await hub.exit, 0)
  assert.isFalse(cutOff.aborted)
  assert.notInclude(hub.output, token)
})

/** Each request has a connection of its own, to any process. */
async function requireGrantsApplyAtOnce(origin: string, token: string, assert: Assert) {
  const send = async (method: string, path: string, as: string, body?: object) => {
    const headers = { authorization: `Bearer ${as}`, connection: 'close' }
    const answer = await fetch(origin + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    return { status: answer.status, body: ((await answer.json()) as any).data }
  }
  const name = `user-${Date.now()}`
  const { body: user } = await send('POST', '/auth/users', token, { name, password: PASSWORD })
  const { body: permission } = await send('GET', '/auth/permissions/user_read', token)
  const own = await logIn(origin, name, PASSWORD)
  const statuses = () =>
    Promise.all(
      Array.from({ length: 6 }, async () => {
        const { body } = await send('GET', `/auth/users?filter[name]=admin`, own)
        return body.length
      })
    )
  assert.deepEqual(await statuses(), Array(6).fill(0))
  for (let n = 0; n < GRANTS; n++) {
    const given = { userId: user.id, permissionId: permission.id }
    const { body: grant } = await send('POST', '/auth/user-permissions', token, given)
    assert.deepEqual(await statuses(), Array(6).fill(1), 'given')
    await send('DELETE', `/auth/user-permissions/${grant.id}`, token)
    assert.deepEqual(await statuses(), Array(6).fill(0), 'taken back')
  }
}
