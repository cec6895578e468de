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
import { setImmediate as nextTurn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { GracefulServer } from '#http/graceful_server'
import { metrics } from '#observability/metrics'
import { httpSettings } from '#http/http_settings'
import { closeIfBodyStalls } from '#http/request_timeouts'
import { Drain } from '#kernel/drain'
import { eventually } from '#tests/helpers/eventually'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { realTime } from '#tests/helpers/real_time'

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
    await eventually(() => arrived === parked.length)

    await withManualTimers(async () => {
      drain.start()
      await server.closeGracefully()
    })
    for (const response of await Promise.all(parked)) {
      assert.equal(await text(response), 'nothing came')
      assert.equal(response.headers.connection, 'close')
    }
  })

  test('a stream that ends with the process does not hold up the end', async ({ assert }) => {
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
      park(drain, response)
    }, drain)
    const response = await ask(await listening(server))

    await withManualTimers(async (pass) => {
      drain.start()
      const closed = server.closeGracefully()
      assert.equal(await text(response), 'data: 1\n\nnothing came')
      await pass(1_750)
      await closed
    })
  })

  test('a keep-alive connection may be used once more before it is closed', async ({ assert }) => {
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => response.end('here'), drain)
    const url = await listening(server)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await text(await ask(url, agent))

    await withManualTimers(async (pass) => {
      drain.start()
      const closed = server.closeGracefully()
      await pass(500)
      const last = await ask(url, agent)
      assert.equal(last.headers.connection, 'close')
      assert.equal(await text(last), 'here')
      await closed
    })
  })

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
    await eventually(() => server.connectionCount === 2)

    await withManualTimers(async (pass) => {
      drain.start()
      const closed = server.closeGracefully()
      await pass(1_250)
      assert.equal(server.connectionCount, 2)
      await pass(500)
      await closed
    })
  })

  test('a request that has only started to arrive is still answered', async ({ assert }) => {
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => response.end('here'), drain)
    const socket = connect(Number(new URL(await listening(server)).port), '127.0.0.1')
    const [served] = (await once(server, 'connection')) as [Socket]
    socket.write('GET / HTTP/1.1\r\n')
    await eventually(() => served.bytesRead > 0)

    await withManualTimers(async (pass) => {
      drain.start()
      const closed = server.closeGracefully()
      await pass(2_250)
      socket.write('host: hub\r\n\r\n')
      assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*here/i)
      await closed
    })
  })

  test('an answer that is read slowly is sent to its end', async ({ assert }) => {
    const size = 20_000_000
    const drain = new Drain()
    const server = new GracefulServer((_request, response) => {
      response.writeHead(200, { 'content-length': size }).end(Buffer.alloc(size, 'x'))
    }, drain)
    const response = await ask(await listening(server))

    await withManualTimers(async (pass) => {
      drain.start()
      const closed = server.closeGracefully()
      await pass(2_250)
      assert.lengthOf(await text(response), size)
      await pass(250)
      await closed
    })
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
    await eventually(() => offers.length === 2)
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

test.group('A server with requests that it cannot read', () => {
  const LONG = `x-long: ${'a'.repeat(20_000)}\r\n`

  /** The head and the body of the answer to what is sent in one piece. */
  async function answerTo(request: string) {
    const server = new GracefulServer((_request, response) => response.end('here'), new Drain())
    const socket = connect(Number(new URL(await listening(server)).port), '127.0.0.1')
    socket.write(request)
    const [head = '', body] = (await text(socket)).split('\r\n\r\n')
    server.close()
    return { head, body }
  }

  test('the server answers {method} with a head that is too long, body: {hasBody}')
    .with([
      { method: 'GET', hasBody: true },
      { method: 'POST', hasBody: true },
      { method: 'HEAD', hasBody: false },
    ])
    .run(async ({ assert }, { method, hasBody }) => {
      const { head, body = '' } = await answerTo(`${method} / HTTP/1.1\r\n${LONG}\r\n`)

      assert.match(head, /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
      assert.equal(body.includes('"The head of the request is too large"'), hasBody)
      assert.equal(body === '', !hasBody)
    })

  test('the server answers a malformed HEAD without a body', async ({ assert }) => {
    const malformed = 'HEAD / HTTP/1.1\r\nhost: x\r\na name: b\r\n\r\n'
    const { head, body } = await answerTo(malformed)
    assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.equal(body, '')
    assert.include((await answerTo('no request at all\r\n\r\n')).body, '"bad_request"')
  })
})

/** Opens a connection and sends data; returns what was received once it is closed. */
async function sendSlowly(url: string, parts: string[]) {
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
      await realTime(50, 'Node measures the time of a head itself')
    }
  })()
  await closed
  return received
}

test.group('A server with slow clients', () => {
  const HEAD = 'GET / HTTP/1.1\r\nhost: x\r\n'
  /** Takes twenty seconds to send. */
  const TRICKLE = Array.from(`x-slow: ${'a'.repeat(400)}`)

  test('times out incomplete heads and silent connections', async ({ assert, cleanup }) => {
    const server = new GracefulServer((_request, response) => response.end('here'), new Drain())
    server.headersTimeout = 600
    const url = await listening(server)
    cleanup(() => void server.close())
    const answers = await Promise.all([
      sendSlowly(url, [HEAD, ...TRICKLE, '\r\n\r\n']),
      sendSlowly(url, []),
    ])
    for (const answer of answers) {
      assert.match(answer, /^HTTP\/1\.1 408 /)
      assert.include(answer, '"code":"request_timeout"')
    }
  })

  test('the server is set to 15 seconds for heads, to 60 for bodies, and to none for answers', ({
    assert,
  }) => {
    const server = new GracefulServer(() => {}, new Drain())
    assert.equal(server.headersTimeout, 15_000)
    assert.equal(httpSettings().bodyTimeoutMs, 60_000)
    assert.equal(server.requestTimeout, 0)
    assert.equal(server.timeout, 0)
  })

  test('the server keeps a connection whose last body was completed after the response, read or not', async ({
    assert,
    cleanup,
  }) => {
    let latest: IncomingMessage | undefined
    const server = createHttpServer((request, response) => {
      latest = request
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
    await withManualTimers(async (pass) => {
      for (let count = 0; count < 3; count++) {
        socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbo')
        const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
        assert.include(String(answer), 'enough')
        socket.write('dy')
        while (!latest!.complete) {
          await nextTurn()
        }
        await pass(1_000)
      }
    })
  })

  test('the server answers malformed requests with the envelope', async ({ assert, cleanup }) => {
    const server = new GracefulServer((_request, response) => response.end('here'), new Drain())
    const url = await listening(server)
    cleanup(() => void server.close())
    assert.match(await sendSlowly(url, ['what is this\r\n\r\n']), /400 .*"code":"bad_request"/s)
  })

  test('the server lets an answer take as long as it takes', async ({ assert, cleanup }) => {
    const finish = Promise.withResolvers<void>()
    const server = new GracefulServer((_request, response) => {
      response.write('beginning ')
      void finish.promise.then(() => response.end('end'))
    }, new Drain())
    server.headersTimeout = 400
    const url = await listening(server)
    cleanup(() => void server.close())
    const slow = await ask(url)
    assert.match(await sendSlowly(url, [HEAD]), /^HTTP\/1\.1 408 /)
    finish.resolve()
    assert.equal(await text(slow), 'beginning end')
  })
})

test.group('A server with many clients', () => {
  const open = async (url: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    const isRefused = await new Promise<boolean>((resolve) => {
      socket.once('close', () => resolve(true)).once('data', () => resolve(false))
    })
    return { socket, isRefused }
  }

  const limited = async (all: number, perAddress: number, isShared = false) => {
    const limits = { all, perAddress, isShared: () => isShared }
    return new GracefulServer((_request, response) => response.end('here'), new Drain(), limits)
  }

  test('the server closes connections beyond those that one address may have, until one ends', async ({
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
    await eventually(() => server.connectionCount === 2)
    assert.isFalse((await open(url)).isRefused)
    const counted = await metrics.getSingleMetric('http_connections_refused_total')!.get()
    assert.containSubset(counted.values, [{ labels: { limit: 'address' } }])
  })

  test('the server closes connections above the total limit, from any address', async ({
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

  test('the server counts a shared proxy only in the total', async ({ assert, cleanup }) => {
    const server = await limited(10, 1, true)
    const url = await listening(server)
    cleanup(() => void server.closeAllConnections())
    cleanup(() => void server.close())
    const answers = await Promise.all([open(url), open(url), open(url)])
    assert.isTrue(answers.every(({ isRefused }) => !isRefused))
  })
})
