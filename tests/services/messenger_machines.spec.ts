import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import type { Socket } from 'socket.io-client'

import { Balancer } from '#tests/helpers/http/balancer'
import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { emitWithAck, received } from '#tests/helpers/realtime/sockets'
import { MessengerCaller } from '#tests/services/servers/messenger_caller'
import { startPostgres } from '#tests/services/servers/postgres'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { logIn } from '#tests/services/servers/served_pool'

const PASSWORD = 'correct horse battery'
const WAITING = 4
/** A process that was killed is missed after ten seconds at the latest. */
const MISSED_WITHIN_MS = 100_000

test.group('Messenger on several machines', (group) => {
  let balancer: Balancer
  let redis: RealServer
  let hubs: HubProcesses[]
  let startAnother: () => Promise<HubProcesses>
  let sockets: Socket[]

  group.setup(async () => {
    const [database, signals] = await Promise.all([startPostgres(), startRedis()])
    redis = signals
    balancer = await Balancer.open()
    const variables = {
      SURFACES: 'messenger,identity',
      JOBS: 'none',
      PUBLIC_URL: balancer.url,
      APP_KEY: 'a-key-for-tests-that-is-long-enough-000',
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
    }
    startAnother = () => HubProcesses.start('server', { variables })
    // The first one makes the tables.
    hubs = [await startAnother()]
    hubs.push(await startAnother())
    hubs.forEach(({ origin }) => balancer.add(origin))
    return async () => {
      balancer.close()
      await Promise.all(hubs.map((hub) => hub.remove()))
      await Promise.all([database.stop(), redis.stop()])
    }
  })

  group.each.setup(() => {
    sockets = []
    return () => sockets.forEach((socket) => void socket.disconnect())
  })

  const somebody = async () => {
    const token = await logIn(balancer.url)
    const name = `user-${Math.random().toString(36).slice(2)}`
    await fetch(`${balancer.url}/auth/users`, {
      method: 'POST',
      headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, password: PASSWORD }),
    })
    return new MessengerCaller(balancer.url, await logIn(balancer.url, name, PASSWORD))
  }

  const connect = async (caller: MessengerCaller) => {
    const socket = await caller.connect()
    sockets.push(socket)
    return socket
  }

  const count = (socket: Socket, { party }: MessengerCaller) => counted(socket, party.id)

  test('each wakes who waits at the other, behind a balancer that knows nothing of sessions', async ({
    assert,
    cleanup,
  }) => {
    const [sender, recipient] = [await somebody(), await somebody()]
    const leaving = new AbortController()
    cleanup(() => leaving.abort())
    const streams = await Promise.all(times(() => recipient.stream(leaving.signal)))
    await eventually(() => streams.every(({ count: notified }) => notified === 1))
    const pending = (await Promise.all(times(() => connect(recipient)))).map((socket) =>
      received(socket, 'messagePending')
    )
    for (let n = 1; n <= 2; n++) {
      const parked = times(() => recipient.pull(20_000))
      const ids = await sender.send(recipient)
      for (const messages of await Promise.all(parked)) {
        assert.deepEqual(messages, ids)
      }
      await eventually(() => streams.every(({ count: notified }) => notified === n + 1))
      await eventually(() => pending.every(({ length }) => length === n))
      await recipient.acknowledge(ids)
    }
    for (const [here, there] of [hubs, hubs.toReversed()]) {
      const parked = recipient.at(there!.origin).pull(20_000)
      const ids = await sender.at(here!.origin).send(recipient)
      assert.deepEqual(await parked, ids)
      await recipient.acknowledge(ids)
    }
    pending.forEach((notified) => assert.deepEqual(notified[0], { recipient: recipient.party }))
  })

  test('direct messages reach every socket of their recipient once, and all are counted', async ({
    assert,
  }) => {
    const [sender, recipient] = [await somebody(), await somebody()]
    const from = await Promise.all(times(() => connect(sender)))
    const there = await Promise.all(times(() => connect(recipient)))
    const notified = there.map((socket) => received(socket, 'send'))
    for (const [n, socket] of from.entries()) {
      await eventually(async () => (await count(socket, recipient)) === WAITING)
      assert.isNull(
        await emitWithAck(socket, 'send', { to: [recipient.party, sender.party], data: n })
      )
    }
    await eventually(() => notified.every(({ length }) => length >= WAITING))
    for (const messages of notified) {
      assert.sameMembers(
        messages.map((message) => (message as { data: number }).data),
        from.map((_socket, n) => n)
      )
      assert.containsSubset(messages[0], { from: { ...sender.party, realmName: 'master' } })
    }
  })

  test('presence outlasts Redis, and direct messages say that they went nowhere else', async ({
    assert,
  }) => {
    const [watched, near] = [await somebody(), await somebody()]
    const [here, there] = hubs.map(({ origin }) => origin) as [string, string]
    const watcher = await connect((await somebody()).at(here))
    const changes = await watching(watcher, watched, assert)
    const [far, beside] = [await connect(watched.at(there)), await connect(near.at(here))]
    await eventually(() => changes.length === 1)
    const messages = received(beside, 'send')
    await redis.kill()
    const to = [watched.party, near.party]
    await eventually(async () => {
      const failure = (await emitWithAck(watcher, 'send', { to })) as { code?: string } | null
      return failure?.code === 'service_unavailable'
    }, 10_000)
    await eventually(() => messages.length > 0)
    assert.equal(await count(watcher, watched), 1)

    await redis.restart()
    const arrived = received(far, 'send')
    await eventually(async () => {
      await emitWithAck(watcher, 'send', { to })
      return arrived.length > 0
    }, 20_000)
    far.disconnect()
    await eventually(async () => (await count(watcher, watched)) === 0)
    await eventually(() => changes.length === 2)
    assert.deepEqual(changes, ['userConnected', 'userDisconnected'])
  })

  test('clients that were connected to a killed process are reported as gone', async ({
    assert,
  }) => {
    const watched = await somebody()
    const watcher = await connect((await somebody()).at(hubs[0]!.origin))
    const changes = await watching(watcher, watched, assert)
    const doomed = await startAnother()
    hubs.push(doomed)
    await connect(watched.at(doomed.origin))
    await connect(watched.at(doomed.origin))
    await eventually(async () => (await count(watcher, watched)) === 2)
    assert.deepEqual(changes, ['userConnected'])
    doomed.signal('SIGKILL')
    await doomed.exit
    await eventually(async () => (await count(watcher, watched)) === 0, MISSED_WITHIN_MS)
    assert.deepEqual(changes, ['userConnected', 'userDisconnected'])
    await connect(watched.at(hubs[1]!.origin))
    await eventually(async () => (await count(watcher, watched)) === 1)
    assert.deepEqual(changes, ['userConnected', 'userDisconnected', 'userConnected'])
  })
})

const times = <T>(make: () => T): T[] => Array.from({ length: WAITING }, make)

/** How many sockets a user has, as somebody's socket is told. */
function counted(socket: Socket, id: string): Promise<number> {
  return new Promise((resolve, reject) => {
    socket
      .timeout(60_000)
      .emit('userConnections', id, (late: Error | null, failure: unknown, count: number) =>
        late || failure ? reject(late ?? failure) : resolve(count)
      )
  })
}

/** What a socket is told of somebody's coming and going. */
async function watching(socket: Socket, { party }: MessengerCaller, assert: Assert) {
  const changes: string[] = []
  socket.onAny((event: string) => changes.push(event))
  assert.isNull(await emitWithAck(socket, 'userConnectionSubscribe', party.id))
  return changes
}
