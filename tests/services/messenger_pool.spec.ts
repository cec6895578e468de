import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { emitWithAck, received } from '#tests/helpers/realtime/sockets'
import { stopwatch } from '#tests/helpers/stopwatch'
import { MessengerCaller } from '#tests/services/servers/messenger_caller'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { startRedis } from '#tests/services/servers/redis'
import { logIn } from '#tests/services/servers/served_pool'

const PROCESSES = 3
const WAITING = 9
const TRANSPORTS = [['websocket'], ['polling'], ['polling', 'websocket']]
/** Where signals are carried nobody waits for a look at the mailboxes, which takes two seconds at the least. */
const AT_ONCE_MS = 1_500
const BY_LOOKING_MS = 8_000

test('Messages reach whoever waits for them in any process, with Redis and without, and the end of the pool ends every wait', async ({
  assert,
  cleanup,
}) => {
  const [redis, rabbitmq] = await Promise.all([startRedis(), startRabbitmq()])
  cleanup(() => Promise.all([redis.stop(), rabbitmq.stop()]).then(() => {}))
  const hub = await HubProcesses.start('pool', {
    variables: {
      POOL_WEB: String(PROCESSES),
      REDIS_URL: redis.url,
      AMQP_URL: rabbitmq.url,
      LOGSTORE_URL: 'http://127.0.0.1:9',
    },
  })
  cleanup(() => hub.remove())
  const caller = new MessengerCaller(hub.origin, await logIn(hub.origin))
  const leaving = new AbortController()
  cleanup(() => leaving.abort())
  const streams = await Promise.all(
    Array.from({ length: WAITING }, () => caller.stream(leaving.signal))
  )
  await hub.until('all were told at the beginning', () => streams.every(({ count }) => count > 0))
  const transports = Array.from({ length: WAITING }, (_, n) => TRANSPORTS[n % TRANSPORTS.length]!)
  const sockets = await Promise.all(transports.map((some) => caller.connect(some)))
  cleanup(() => sockets.forEach((socket) => void socket.disconnect()))
  const lost: string[] = []
  sockets.forEach((socket) => socket.on('disconnect', (reason) => lost.push(reason)))
  const pending = sockets.map((socket) => received(socket, 'messagePending'))
  const direct = sockets.map((socket) => received(socket, 'send'))

  /** Sends one message, and answers how long it took until all who waited had it. */
  const reached = async () => {
    const before = streams.map(({ count }) => count)
    const pendingBefore = pending.map(({ length }) => length)
    const parked = Array.from({ length: WAITING }, () => caller.pull(20_000))
    // Whoever comes later than the message finds it.
    const took = stopwatch()
    const ids = await caller.send(caller)
    for (const messages of await Promise.all(parked)) {
      assert.deepEqual(messages, ids)
    }
    await hub.until('all were told', () => streams.every(({ count }, n) => count > before[n]!))
    await hub.until('all sockets were told', () => {
      assert.isEmpty(lost)
      return pending.every(({ length }, n) => length > pendingBefore[n]!)
    })
    const milliseconds = took()
    await caller.acknowledge(ids)
    return milliseconds
  }
  const readiness = async () => (await fetch(`${hub.admin}/health/ready`)).text()

  assert.isBelow(await reached(), AT_ONCE_MS)
  assert.isBelow(await reached(), AT_ONCE_MS)

  for (const socket of sockets) {
    assert.isNull(await emitWithAck(socket, 'send', { to: [caller.party], data: socket.id }))
  }
  await hub.until('all but the sender were told of each', () => {
    assert.isEmpty(lost)
    return direct.every(({ length }) => length >= WAITING - 1)
  })
  direct.forEach(({ length }) => assert.equal(length, WAITING - 1))

  await redis.kill()
  await hub.until('it was missed', async () => (await readiness()).includes('wakeups'))
  assert.isBelow(await reached(), BY_LOOKING_MS)
  assert.isBelow(await reached(), BY_LOOKING_MS)

  await redis.restart()
  await hub.until('it was back', async () => !(await readiness()).includes('wakeups'))
  // Each process has several connections, which find it again one after the other.
  await hub.until('wakeups were carried again', async () => (await reached()) < AT_ONCE_MS)

  const parked = Array.from({ length: WAITING }, () => caller.pull(20_000).catch(() => []))
  const took = stopwatch()
  hub.signal('SIGTERM')
  for (const messages of await Promise.all(parked)) {
    assert.isEmpty(messages)
  }
  await hub.until('all streams were over', () => streams.every(({ isOver }) => isOver))
  assert.equal(await hub.exit, 0)
  assert.isBelow(took(), 10_000)
}).timeout(600_000)
