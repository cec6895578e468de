import { once } from 'node:events'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { sendStream } from '#http/send_stream'

const CHUNK = Buffer.alloc(64 * 1024, 'x')

/** A server that responds with a stream and reports how it ended. */
async function serve(source: () => Readable) {
  const ends: string[] = []
  const server: Server = createServer((request, response) => {
    const ctx = {
      request: { url: () => request.url },
      response: {
        response,
        setRequestId() {},
        writeHead: () => response.writeHead(200),
      },
      logger: {
        info: (_fields: object, message: string) => ends.push(message),
        error: (_fields: object, message: string) => ends.push(message),
      },
    } as unknown as HttpContext
    void sendStream(ctx, source()).then(() => server.emit('sent'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, ends, port: (server.address() as AddressInfo).port }
}

test.group('A stream that is answered', () => {
  test('a stream is sent whole to a reader that reads', async ({ assert }) => {
    const { server, ends, port } = await serve(() =>
      Readable.from(repeated(200), { objectMode: false })
    )
    const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response')
    assert.equal((await buffer(response)).length, 200 * CHUNK.length)
    assert.isEmpty(ends)
    server.close()
  })
})

async function* repeated(times: number): AsyncGenerator<Buffer> {
  for (let count = 0; count < times; count++) {
    yield CHUNK
  }
}
