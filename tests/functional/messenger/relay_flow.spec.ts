import type { Writable } from 'node:stream'

import { test } from '@japa/runner'
import type { Socket } from 'socket.io-client'

import { RateLimiter } from '#http/rate_limiter'
import { metrics } from '#observability/metrics'
import { eventually } from '#tests/helpers/eventually'
import { at } from '#tests/helpers/application'
import { testAuthenticator } from '#tests/helpers/identities'
import { connected } from '#tests/helpers/realtime/sockets'
import { somebody, type Somebody } from './messenger_scene.js'
import { connect, relaySite, recordEvents } from './relay_scene.js'

const LARGE = 'x'.repeat(200_000)

/** The number of connections closed because their clients do not read. */
async function closedAsSlow(): Promise<number> {
  const text = await metrics.getSingleMetricAsString('realtime_slow_connections_total')
  return Number(/^realtime_slow_connections_total (\d+)/m.exec(text)?.[1] ?? 0)
}

/** Sends packets without the client library, all in one segment or request. */
async function sendTogether(socket: Socket, packets: readonly string[]): Promise<void> {
  const { id, transport } = socket.io.engine
  const { ws } = transport as unknown as { ws?: { _socket: Writable } }
  if (ws) {
    ws._socket.write(Buffer.concat(packets.map(textFrame)))
    return
  }
  const { opts } = socket.io as unknown as { opts: { path: string } }
  const url = `${new URL(at('messenger')).origin}${opts.path}/?EIO=4&transport=polling&sid=${id}`
  await fetch(url, { method: 'POST', body: packets.join('\x1e') })
}

/** A text frame as a websocket client sends it, masked with zeros. */
function textFrame(text: string): Buffer {
  const { length } = text
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 255]
  return Buffer.from([0x81, ...size, 0, 0, 0, 0, ...Buffer.from(text)])
}

/** Stops a client from reading; returns how to resume it. */
function deafen(socket: Socket): () => void {
  const { ws } = socket.io.engine.transport as unknown as {
    ws: { pause(): void; resume(): void }
  }
  ws.pause()
  return () => ws.resume()
}

const numbersIn = (events: unknown[][]) =>
  events.map(([, message]) => (message as { metadata: number }).metadata)

/** Sends messages at once, without callbacks. */
function sendAll(from: Socket, to: Somebody, count: number, data: string): number[] {
  const numbers = Array.from({ length: count }, (_, n) => n)
  numbers.forEach((metadata) => from.emit('send', { to: [to.party], data, metadata }))
  return numbers
}

test.group('Socket relay | senders that are faster than the relay', () => {
  test('fast senders lose nothing without acknowledgements, by {$self}')
    .with(['websocket', 'polling'] as const)
    .run(async ({ assert, cleanup }, transport) => {
      const recipient = somebody()
      const transports = [transport]
      const from = await connect(somebody(), cleanup, { transports })
      const events = recordEvents(await connect(recipient, cleanup, { transports }))
      const numbers = sendAll(from, recipient, 1_000, 'q83vEjRW')
      await eventually(() => events.length >= numbers.length)
      assert.deepEqual(numbersIn(events), numbers)
    })

  test('fast senders wait for recipients that read, however much it is', async ({
    assert,
    cleanup,
  }) => {
    const recipient = somebody()
    const [from, other] = [await connect(somebody(), cleanup), await connect(somebody(), cleanup)]
    const events = recordEvents(await connect(recipient, cleanup))
    const before = await closedAsSlow()
    const numbers = sendAll(from, recipient, 60, LARGE)
    sendAll(other, recipient, 60, LARGE)
    await eventually(() => events.length >= 120)
    assert.equal(await closedAsSlow(), before)
    assert.includeMembers(numbersIn(events), numbers)
  }).timeout(60_000)

  test('fast senders are delayed by the rate limit, not rejected', async ({ assert, cleanup }) => {
    const limiter = new RateLimiter({ anonymous: 0, user: 0, client: 20 })
    let waits = 0
    const count = limiter.count.bind(limiter)
    limiter.count = async (...counted) => {
      const allowance = (await count(...counted))!
      waits += allowance.exceeded ? 1 : 0
      return { ...allowance, resetSeconds: 0.02, exceeded: allowance.exceeded && waits % 3 !== 0 }
    }
    const site = await relaySite({ authenticator: testAuthenticator }, limiter)
    cleanup(() => site.close())
    const [sender, recipient] = [somebody(), somebody()]
    const [from, there] = [sender, recipient].map((one) =>
      site.connect('/', one.headers.authorization)
    )
    await Promise.all([connected(from!), connected(there!)])
    const events = recordEvents(there!)
    const numbers = sendAll(from!, recipient, 40, 'q83vEjRW')
    await eventually(() => events.length >= numbers.length)
    assert.deepEqual(numbersIn(events), numbers)
    assert.isAtLeast(waits, 20)
  })
})

test.group('Socket relay | recipients that do not read', () => {
  test('sockets are closed once more waits for them than may', async ({ assert, cleanup }) => {
    const site = await relaySite({ authenticator: testAuthenticator })
    cleanup(() => site.close())
    const [sender, recipient] = [somebody(), somebody()]
    const deaf = await connected(site.connect('/', recipient.headers.authorization))
    const closed = new Promise((resolve) => deaf.io.engine.once('close', resolve))
    const from = await connected(site.connect('/', sender.headers.authorization))
    const ears = recordEvents(await connected(site.connect('/', recipient.headers.authorization)))
    const listen = deafen(deaf)
    const before = await closedAsSlow()
    const numbers = sendAll(from, recipient, 100, LARGE)
    await eventually(async () => (await closedAsSlow()) > before, 60_000)
    await eventually(() => ears.length >= numbers.length, 60_000)
    assert.deepEqual(numbersIn(ears), numbers)
    listen()
    await closed
  }).timeout(120_000)
})

test.group('Socket relay | packets that come together', () => {
  for (const transport of ['websocket', 'polling'] as const) {
    test(`packets can leave a namespace and enter it again, by ${transport}`, async ({
      assert,
      cleanup,
    }) => {
      const whose = somebody()
      const socket = await connect(whose, cleanup, { transports: [transport] })
      for (let round = 0; round < 10; round++) {
        const again = new Promise<void>((resolve) => socket.once('connect', resolve))
        const token = whose.headers.authorization
        await sendTogether(socket, ['41', `40${JSON.stringify({ token })}`])
        const closed = new Promise((resolve) => socket.io.engine.once('close', resolve))
        assert.isUndefined(await Promise.race([again, closed]))
      }
    })
  }
})
