import { once } from 'node:events'
import {
  Agent,
  createServer as createHttpServer,
  get,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

import { test } from '@japa/runner'

import { GracefulServer } from '#http/graceful_server'
import { metrics } from '#observability/metrics'
import { BODY_TIMEOUT_MS, closeIfBodyStalls } from '#http/request_timeouts'
import { Drain } from '#kernel/drain'
import { stopwatch } from '#tests/helpers/stopwatch'

/** A handler that parks its request until the process shuts down, like a long poll. */
function park(drain: Drain, response: ServerResponse): void {
  drain.signal.addEventListener('abort', () => response.end('nothing came'))
}

async function listening(server: GracefulServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function ask(url: string, agent?: Agent): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  return response
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const took = stopwatch()
  await work()
  return took()
}

test.group('A server that closes gracefully', () => {
  test('a parked request is answered at once, and its connection ends with the answer', async ({
    assert,
  }) => {
    const drain = new Drain()
    let arrived = 0
    const server = new GracefulServer((_request, response) => {
      arrived += 1
      park(drain, response)
    }, drain)
    const url = await listening(server)
    const agent = new Agent({ keepAlive: true })
    const parked = Array.from({ length: 50 }, () => ask(url, agent))
    // A connection is counted before its request has been read, but only a request that was read can be parked.
    while (arrived < parked.length) {
      await delay(5)
    }

    drain.start()
    const took = await milliseconds(() => server.closeGracefully())
    assert.isBelow(took, 500)
    for (const response of await Promise.all(parked)) {
      assert.equal(await text(response), 'nothing came')
      assert.equal(response.headers.connection, 'close')
    }
  }).retry(2)

  test('a stream that ends with the process does not hold up the end', async ({ assert }) => {
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
      park(drain, response)
    }, drain)
    const response = await ask(await listening(server))

    drain.start()
    const closed = server.closeGracefully()
    assert.equal(await text(response), 'data: 1\n\nnothing came')
    assert.isBelow(await milliseconds(() => closed), 2_500)
  }).retry(2)

  test('a keep-alive connection may be used once more before it is closed', async ({ assert }) => {
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => response.end('here'), drain)
    const url = await listening(server)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await text(await ask(url, agent))

    drain.start()
    const closed = server.closeGracefully()
    await delay(500)
    const last = await ask(url, agent)
    assert.equal(last.headers.connection, 'close')
    assert.equal(await text(last), 'here')
    assert.isBelow(await milliseconds(() => closed), 200)
  }).retry(2)

  test('the keep-alive timeout exceeds that of proxies', async ({ assert }) => {
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => response.end('here'), drain)
    const kept = await ask(await listening(server), new Agent({ keepAlive: true }))
    assert.equal(kept.headers['keep-alive'], 'timeout=65')
    drain.start()
    await server.closeGracefully()
  })

  test('a connection that is not used any more is closed after a while', async ({ assert }) => {
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => response.end('here'), drain)
    const url = await listening(server)
    const agent = new Agent({ keepAlive: true })
    await text(await ask(url, agent))
    const neverUsed = connect(Number(new URL(url).port), '127.0.0.1')
    await once(neverUsed, 'connect')
    while (server.connectionCount < 2) {
      await delay(5)
    }

    drain.start()
    const took = await milliseconds(() => server.closeGracefully())
    assert.isAbove(took, 1_400)
    assert.isBelow(took, 2_500)
  }).retry(2)

  test('a request that has only begun to arrive is still answered', async ({ assert }) => {
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => response.end('here'), drain)
    const socket = connect(Number(new URL(await listening(server)).port), '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\n')
    await delay(50)

    drain.start()
    const closed = server.closeGracefully()
    await delay(2_200)
    socket.write('host: hub\r\n\r\n')
    assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*here/i)
    await closed
  })

  test('an answer that is read slowly is sent to its end', async ({ assert }) => {
    const size = 20_000_000
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => {
      response.writeHead(200, { 'content-length': size }).end(Buffer.alloc(size, 'x'))
    }, drain)
    const response = await ask(await listening(server))

    drain.start()
    const closed = server.closeGracefully()
    await delay(2_200)
    assert.lengthOf(await text(response), size)
    await closed
  })
})

test.group('A server with handed-over connections', () => {
  async function handingOver(server: GracefulServer): Promise<{ url: string; offers: boolean[] }> {
    const offers: boolean[] = []
    const port = createServer((socket: Socket) => {
      offers.push(server.accept(socket))
    })
    port.listen(0, '127.0.0.1').unref()
    await once(port, 'listening')
    return { url: `http://127.0.0.1:${(port.address() as AddressInfo).port}`, offers }
  }

  test('it serves them like its own, and takes none once it is closed', async ({ assert }) => {
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => response.end('here'), drain)
    const { url, offers } = await handingOver(server)
    assert.equal(await text(await ask(url)), 'here')

    drain.start()
    await server.closeGracefully()
    const late = connect(Number(new URL(url).port), '127.0.0.1')
    await once(late, 'connect')
    while (offers.length < 2) {
      await delay(5)
    }
    late.destroy()
    assert.deepEqual(offers, [true, false])
  })

  test('it answers a request that takes too long to arrive with 408', async ({ assert }) => {
    const server = new GracefulServer((_request, response) => response.end('here'), new Drain())
    Object.assign(server, { headersTimeout: 100, connectionsCheckingInterval: 20 })
    server.expectConnections()
    const { url } = await handingOver(server)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\n')

    assert.match(await text(socket), /^HTTP\/1\.1 408 /)
  })
})

/** Opens a connection and sends data; returns what was received once it is closed. */
async function sendSlowly(url: string, parts: string[], pauseMs = 100) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  void (async () => {
    for (const part of parts) {
      if (socket.destroyed) {
        return
      }
      socket.write(part)
      await delay(pauseMs)
    }
  })()
  await closed
  return received
}

test.group('A server with slow clients', () => {
  const HEAD = 'GET / HTTP/1.1\r\nhost: x\r\n'

  test('times out incomplete heads and silent connections', async ({ assert, cleanup }) => {
    const server = new GracefulServer((_request, response) => response.end('here'), new Drain())
    server.headersTimeout = 600
    const url = await listening(server)
    cleanup(() => void server.close())
    const trickle = Array.from('x-slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')
    const took = await milliseconds(async () => {
      const [slow, silent] = await Promise.all([
        sendSlowly(url, [HEAD, ...trickle]),
        sendSlowly(url, []),
      ])
      for (const answer of [slow, silent]) {
        assert.match(answer, /^HTTP\/1\.1 408 /)
        assert.include(answer, '"code":"request_timeout"')
      }
    })
    assert.isBelow(took, 3_000)
  }).retry(2)

  test('is set to 15 seconds for heads, to 60 for bodies, and to none for answers', ({
    assert,
  }) => {
    const server = new GracefulServer(() => {}, new Drain())
    assert.equal(server.headersTimeout, 15_000)
    assert.equal(BODY_TIMEOUT_MS, 60_000)
    assert.equal(server.requestTimeout, 0)
    assert.equal(server.timeout, 0)
  })

  test('keeps a connection whose last body was completed after the response, read or not', async ({
    assert,
    cleanup,
  }) => {
    const server = createHttpServer((request, response) => {
      request.once('data', () => {
        request.pause()
        response.end('enough')
      })
      response.once('close', () => closeIfBodyStalls(request, 100))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    cleanup(() => {
      socket.destroy()
      server.close()
    })
    const parts = ['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbo', 'dy']
    for (let count = 0; count < 2; count++) {
      const [head, rest] = parts
      socket.write(head!)
      assert.include(String(await once(socket, 'data')), 'enough')
      socket.write(rest!)
      await delay(300)
    }
    assert.isFalse(socket.destroyed)
  })

  test('answers malformed requests with the envelope', async ({ assert, cleanup }) => {
    const server = new GracefulServer((_request, response) => response.end('here'), new Drain())
    const url = await listening(server)
    cleanup(() => void server.close())
    assert.match(await sendSlowly(url, ['what is this\r\n\r\n']), /400 .*"code":"bad_request"/s)
  })

  test('lets an answer take as long as it takes', async ({ assert, cleanup }) => {
    const server = new GracefulServer((_request, response) => {
      response.write('beginning ')
      setTimeout(() => response.end('end'), 1_500)
    }, new Drain())
    server.headersTimeout = 400
    const url = await listening(server)
    cleanup(() => void server.close())
    assert.equal(await text(await ask(url)), 'beginning end')
  })
})

test.group('A server with many clients', () => {
  const open = async (url: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const isRefused = await Promise.race([
      once(socket, 'close').then(() => true),
      delay(150).then(() => false),
    ])
    return { socket, isRefused }
  }

  const limited = async (all: number, perAddress: number, isShared = false) => {
    const limits = { all, perAddress, isShared: () => isShared }
    return new GracefulServer((_request, response) => response.end('here'), new Drain(), limits)
  }

  test('closes connections beyond those that one address may have, until one ends', async ({
    assert,
    cleanup,
  }) => {
    const server = await limited(0, 3)
    const url = await listening(server)
    cleanup(() => void server.closeAllConnections())
    cleanup(() => void server.close())
    const kept = await Promise.all([open(url), open(url), open(url)])
    assert.deepEqual(
      kept.map(({ isRefused }) => isRefused),
      [false, false, false]
    )
    assert.isTrue((await open(url)).isRefused)
    kept[0]!.socket.destroy()
    await delay(50)
    assert.isFalse((await open(url)).isRefused)
    const counted = await metrics.getSingleMetric('http_connections_refused_total')!.get()
    assert.containSubset(counted.values, [{ labels: { limit: 'address' } }])
  })

  test('closes connections above the total limit, from any address', async ({
    assert,
    cleanup,
  }) => {
    const server = await limited(2, 2, true)
    const url = await listening(server)
    cleanup(() => void server.closeAllConnections())
    cleanup(() => void server.close())
    const answers = await Promise.all([open(url), open(url), open(url)])
    assert.lengthOf(
      answers.filter(({ isRefused }) => isRefused),
      1
    )
  })

  test('counts a shared proxy only in the total', async ({ assert, cleanup }) => {
    const server = await limited(10, 1, true)
    const url = await listening(server)
    cleanup(() => void server.closeAllConnections())
    cleanup(() => void server.close())
    const answers = await Promise.all([open(url), open(url), open(url)])
    assert.isTrue(answers.every(({ isRefused }) => !isRefused))
  })
})
