import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'
import { io, type Socket } from 'socket.io-client'

import { RedisEmitter } from '#realtime/redis_emitter'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { ask, connected, refusal } from '#tests/helpers/sockets'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { startRedis } from '#tests/services/servers/redis'

const CHANGE = {
  namespace: '/resources',
  room: 'node',
  event: 'nodeUpdated',
  payload: { data: {} },
}
const SOCKETS = 8

test('Sockets of a pool hear of changes, survive a reload, and do not hold up the end', async ({
  assert,
  cleanup,
}) => {
  const [redis, rabbitmq] = await Promise.all([startRedis(), startRabbitmq()])
  cleanup(() => Promise.all([redis.stop(), rabbitmq.stop()]).then(() => {}))
  const hub = await HubProcesses.start('pool', {
    variables: {
      POOL_WEB: '2',
      REDIS_URL: redis.url,
      AMQP_URL: rabbitmq.url,
      LOGSTORE_URL: 'http://127.0.0.1:9',
    },
  })
  cleanup(() => hub.remove())
  const emitter = await RedisEmitter.connect(redis.url)
  cleanup(() => emitter.close())
  const token = await logIn(hub.origin)
  const open = (transport: string): Socket => {
    const socket = io(`${hub.origin}/resources`, {
      path: '/core/socket.io',
      transports: [transport],
      auth: { token },
      forceNew: true,
      reconnectionDelay: 100,
      reconnectionDelayMax: 500,
    })
    cleanup(() => void socket.disconnect())
    return socket
  }

  await refusal(open('polling'))

  const sockets = Array.from({ length: SOCKETS }, () => open('websocket'))
  let subscribed = 0
  let told = 0
  for (const socket of sockets) {
    socket.on('nodeUpdated', () => (told += 1))
    socket.on('connect', () => {
      void ask(socket, 'nodeSubscribe').then((refused) => (subscribed += refused === null ? 1 : 0))
    })
  }
  await Promise.all(sockets.map(connected))
  await hub.until('all had subscribed', () => subscribed === SOCKETS)
  await delay(100)
  await emitter.emit([CHANGE])
  await hub.until('all were told', () => told >= SOCKETS)

  hub.signal('SIGHUP')
  await hub.until('all came back after the reload', () => subscribed >= 2 * SOCKETS)
  await hub.until('it was reloaded', () => hub.output.includes('every process was replaced'))
  await delay(1_000)
  told = 0
  await emitter.emit([CHANGE])
  await hub.until('all were told again', () => told >= SOCKETS)
  await delay(100)
  assert.equal(told, SOCKETS)

  const startedAt = performance.now()
  hub.signal('SIGTERM')
  assert.equal(await hub.exit, 0)
  assert.isBelow(performance.now() - startedAt, 5_000)
  assert.notInclude(hub.output, token)
})

async function logIn(origin: string): Promise<string> {
  const form = { grant_type: 'password', username: 'admin', password: 'start123' }
  const body = new URLSearchParams({ ...form, realm_name: 'master' })
  const response = await fetch(`${origin}/auth/token`, { method: 'POST', body })
  return ((await response.json()) as { access_token: string }).access_token
}
