import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { GracefulServer } from '#http/graceful_server'
import { Drain } from '#kernel/drain'

const MIB = 1_024 ** 2
const CHUNK = Buffer.alloc(64 * 1_024, 'x')
const PACE = { windowMs: 400, bytes: 4_096 }

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server with a short window. */
async function serve(answer: Answer, cleanup: (end: () => void) => void) {
  const server = new GracefulServer(answer, new Drain(), undefined, PACE)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** A client that sends a request and does not read. */
async function idle(port: number, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  return socket
}

/** Sends without an end, at the pace of the reader. */
function sendEndlessly(response: ServerResponse): void {
  while (!response.destroyed && response.write(CHUNK)) {
    // Fills what the system takes.
  }
  response.once('drain', () => sendEndlessly(response))
}

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a stream': sendEndlessly,
  'an answer that was ended': (response) => void response.end(Buffer.alloc(64 * MIB)),
  'a stream of events': (response) => {
    const every = setInterval(() => response.write('data: 1\n\n'), 10)
    response.once('close', () => clearInterval(every))
    response.write(Buffer.alloc(32 * MIB))
  },
}

test.group('A client that does not read', () => {
  test('a slow client is disconnected from {$self}')
    .with(Object.keys(ANSWERS))
    .run(async ({ assert, cleanup }, kind) => {
      const closed = Promise.withResolvers<void>()
      const { server, port } = await serve((_request, response) => {
        response.once('close', closed.resolve)
        ANSWERS[kind]!(response)
      }, cleanup)
      const socket = await idle(port, '/')
      await closed.promise
      assert.equal(server.connectionCount, 0)
      socket.destroy()
    })

  test('a slow client is disconnected even if it takes a little now and then', async ({
    assert,
    cleanup,
  }) => {
    const closed = Promise.withResolvers<void>()
    const { port } = await serve((_request, response) => {
      response.once('close', closed.resolve)
      sendEndlessly(response)
    }, cleanup)
    const socket = await idle(port, '/')
    let taken = 0
    const sips = setInterval(() => (taken += socket.read(1)?.length ?? 0), 20)
    await closed.promise
    clearInterval(sips)
    assert.isAbove(taken, 0)
    socket.destroy()
  })

  test('a slow client is one that waits for nothing only if an answer waits', async ({
    assert,
    cleanup,
  }) => {
    let parked: ServerResponse | undefined
    const { server, port } = await serve((request, response) => {
      if (request.url === '/parked') {
        parked = response.writeHead(200)
        parked.write('first')
      } else {
        sendEndlessly(response)
        response.once('close', () => parked!.end('last'))
      }
    }, cleanup)
    const [waiting] = (await once(get({ port, path: '/parked' }), 'response')) as [IncomingMessage]
    const other = await idle(port, '/endless')
    assert.equal(String(await buffer(waiting)), 'firstlast')
    assert.isAtMost(server.connectionCount, 1)
    other.destroy()
  })

  test('that reads slowly gets all of an answer that was written at once', async ({
    assert,
    cleanup,
  }) => {
    const size = 8 * MIB
    const { port } = await serve(
      (_request, response) => void response.end(Buffer.alloc(size)),
      cleanup
    )
    const whole = Promise.withResolvers<void>()
    const socket = await idle(port, '/')
    let taken = 0
    socket.on('data', (piece: Buffer) => {
      taken += piece.length
      socket.pause()
      setTimeout(() => socket.resume(), 10)
    })
    socket.once('close', whole.resolve)
    socket.resume()
    while (taken < size && !socket.destroyed) {
      await Promise.race([once(socket, 'data'), whole.promise])
    }
    assert.isAtLeast(taken, size)
    socket.destroy()
  })
})
