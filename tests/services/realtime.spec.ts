import { fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Emitter as ForeignEmitter } from '@socket.io/redis-emitter'
import { test } from '@japa/runner'
import { Redis } from 'ioredis'
import { io, type Socket } from 'socket.io-client'

import { RedisSubscriber } from '#realtime/redis_subscriber'
import { RedisEmitter } from '#realtime/redis_emitter'
import { SignalsUnavailable } from '#signals/signals'
import { eventually } from '#tests/helpers/eventually'
import { identity, REALMS, testAuthenticator } from '#tests/helpers/identities'
import {
  emitWithAck,
  connected,
  received,
  settled,
  socketSite,
} from '#tests/helpers/realtime/sockets'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { realTime } from '#tests/helpers/real_time'

const PEER = fileURLToPath(
  new URL(`../helpers/realtime_peer${extname(import.meta.url)}`, import.meta.url)
)
const REALM = `/resources/${REALMS.other}`

test.group('Sockets of several processes', (group) => {
  let redis: RealServer
  let emitter: RedisEmitter
  let ears: RedisSubscriber
  let here: Awaited<ReturnType<typeof socketSite>>
  let client: Redis
  let reported: string[]

  group.setup(async () => {
    redis = await startRedis()
    return () => redis.stop()
  })

  group.each.setup(async () => {
    reported = []
    client = new Redis(redis.url)
    client.on('error', () => {})
    emitter = await RedisEmitter.connect(redis.url)
    ears = await RedisSubscriber.connect(redis.url, (_error, what) => reported.push(what))
    here = await socketSite({ authenticator: testAuthenticator, adapter: ears.adapter })
    return async () => {
      await here.close()
      emitter.close()
      ears.close()
      client.disconnect()
    }
  })

  const { token } = identity({ permissions: ['node_update'] })

  const subscribed = async (namespace: string) => {
    const socket = await connected(here.connect(namespace, token))
    assertNull(await emitWithAck(socket, 'nodeSubscribe'))
    await eventually(() => client.status === 'ready')
    return socket
  }

  /** Sends until a client receives it: subscriptions are made in the background. */
  const publishUntilReceived = async (events: unknown[], namespace = '/resources') => {
    await eventually(async () => {
      await emitter.emit([emission(namespace, 'found')]).catch(() => {})
      return events.length > 0
    }, 15_000)
    await emitter.emit([emission(namespace, 'last')])
    await eventually(() => events.includes('last'))
    events.splice(0)
  }

  test('receive events of a process without sockets, wherever they are connected, once each', async ({
    assert,
    cleanup,
  }) => {
    const peer = fork(PEER, {
      env: { ...process.env, PEER_REDIS_URL: redis.url, PEER_TOKEN: token },
    })
    cleanup(() => void peer.kill())
    const [url] = (await once(peer, 'message')) as [string]
    const elsewhere = async (namespace: string) => {
      const socket = io(url + namespace, { auth: { token }, transports: ['websocket'] })
      cleanup(() => void socket.disconnect())
      await connected(socket)
      assertNull(await emitWithAck(socket, 'nodeSubscribe'))
      return socket
    }
    const colon = REALM.replace('/resources/', '/resources:')
    const sockets: Socket[] = []
    for (const open of [subscribed, elsewhere]) {
      for (const namespace of ['/resources', REALM, colon]) {
        sockets.push(await open(namespace))
      }
    }
    const events = sockets.map((socket) => received(socket, 'nodeUpdated'))
    await Promise.all(
      sockets.map(async (_socket, n) =>
        publishUntilReceived(events[n]!, n % 3 === 0 ? '/resources' : REALM)
      )
    )
    await emitter.emit(['/resources', REALM].map((namespace) => emission(namespace, 'all of it')))
    await eventually(() => events.every((list) => list.includes('all of it')))
    events.forEach((list) => list.splice(0))

    const payload = { data: { id: 'ü', n: 1.5, none: null, at: '2026-01-01T00:00:00.000Z' } }
    await emitter.emit([
      ...Array.from({ length: 100 }, (_, n) => emission('/resources', { ...payload, n })),
      emission(REALM, payload),
      { ...emission(REALM, 'for the other room'), room: 'node/1' },
    ])
    await eventually(() => events.every((list, n) => list.length >= (n % 3 === 0 ? 100 : 1)))
    await Promise.all(sockets.map(settled))
    for (const n of [0, 3]) {
      assert.deepEqual(
        events[n],
        Array.from({ length: 100 }, (_, at) => ({ ...payload, n: at }))
      )
    }
    for (const n of [1, 2, 4, 5]) {
      assert.deepEqual(events[n], [payload])
    }
  })

  test('exchange events with foreign processes', async ({ assert, cleanup }) => {
    const socket = await subscribed(REALM)
    const events = received(socket, 'nodeUpdated')
    await publishUntilReceived(events, REALM)
    new ForeignEmitter(client).of(REALM).to('node').emit('nodeUpdated', { foreign: true })
    await eventually(() => events.length > 0)
    assert.deepEqual(events, [{ foreign: true }])

    const foreignEar = new Redis(redis.url)
    cleanup(() => foreignEar.disconnect())
    const channels: string[] = []
    foreignEar.on('pmessageBuffer', (_pattern: unknown, channel: Buffer) => {
      channels.push(String(channel))
    })
    await foreignEar.psubscribe('socket.io#*')
    await emitter.emit([emission(REALM, 1)])
    await eventually(() => channels.length >= 2)
    assert.include(channels, `socket.io#${REALM}#node#`)
  })

  test('a restarted Redis is reconnected', async ({ assert }) => {
    const socket = await subscribed('/resources')
    const events = received(socket, 'nodeUpdated')
    await publishUntilReceived(events)
    await redis.kill()
    await assert.rejects(
      async () => {
        for (let n = 0; n < 50; n++) {
          await emitter.emit([emission('/resources', n)])
          await realTime(20, 'a client finds out by itself that its server is gone')
        }
      },
      SignalsUnavailable as unknown as typeof Error
    )
    const late = await subscribedWhileAway()
    const lateEvents = received(late, 'nodeUpdated')
    assert.isTrue(socket.connected)
    await redis.restart()
    await Promise.all([publishUntilReceived(events), publishUntilReceived(lateEvents, REALM)])
    await emitter.emit([emission('/resources', 'back'), emission(REALM, 'back')])
    await eventually(() => events.includes('back') && lateEvents.includes('back'))
    assert.include(events, 'back')
    assert.include(lateEvents, 'back')
  })

  const subscribedWhileAway = async () => {
    const socket = await connected(here.connect(REALM, token))
    assertNull(await emitWithAck(socket, 'nodeSubscribe'))
    return socket
  }

  test('a malformed packet is reported and harmless', async ({ assert }) => {
    const socket = await subscribed('/resources')
    const events = received(socket, 'nodeUpdated')
    await publishUntilReceived(events)
    for (const packet of ['', 'x', '{"a":1}', Buffer.from([0xc1]), Buffer.from([0x93, 1, 2, 3])]) {
      await client.publish('socket.io#/resources#node#', packet)
      await client.publish('socket.io-request#/resources#', packet)
    }
    await emitter.emit([emission('/resources', 'well')])
    await eventually(() => events.length > 0)
    assert.deepEqual(events, ['well'])
    assert.include(reported, 'an event for sockets was malformed')
  })

  test('sockets publish nothing on Redis about connected clients', async ({ assert, cleanup }) => {
    const socket = await subscribed('/resources')
    await publishUntilReceived(received(socket, 'nodeUpdated'))
    const spy = new Redis(redis.url)
    cleanup(() => spy.disconnect())
    const answers: string[] = []
    spy.on('pmessage', (_pattern, _channel, message: string) => answers.push(message))
    await spy.psubscribe('socket.io-response#*')
    const request = { requestId: 'r', uid: 'u', opts: { rooms: [], except: [] } }
    for (const type of [0, 1, 5]) {
      await client.publish('socket.io-request#/resources#', JSON.stringify({ ...request, type }))
    }
    const events = received(socket, 'nodeUpdated')
    await emitter.emit([emission('/resources', 'afterwards')])
    await eventually(() => events.length > 0)
    await client.publish('socket.io-response#/resources#', 'the last one')
    await eventually(() => answers.includes('the last one'))
    assert.lengthOf(answers, 1)
  })

  test('empty namespaces are unsubscribed', async ({ assert }) => {
    const socket = await subscribed(REALM)
    await publishUntilReceived(received(socket, 'nodeUpdated'), REALM)
    const before = Number(await client.pubsub('NUMPAT'))
    socket.disconnect()
    let now = before
    await eventually(async () => (now = Number(await client.pubsub('NUMPAT'))) < before)
    assert.equal(now, before - 1)
  })
})

const emission = (namespace: string, payload: unknown) => ({
  ...{ namespace, room: 'node', event: 'nodeUpdated', payload },
})

function assertNull(answer: unknown): void {
  if (answer !== null) {
    throw new Error(`The subscription was refused: ${JSON.stringify(answer)}`)
  }
}
