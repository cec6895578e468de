import { once } from 'node:events'
import { createServer, request, type ClientRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

import { test } from '@japa/runner'

import { UploadStalled } from '#storage/uploads/incoming_file'
import { ClientDisconnected, RequestBody } from '#storage/uploads/request_body'

const MIB = 1024 ** 2

/** A request in progress, with both of its ends. */
async function underWay(cleanup: (work: () => void) => void, headers = {}) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sent: ClientRequest = request({ port, method: 'POST', headers })
  sent.on('error', () => {})
  sent.flushHeaders()
  const [arriving, response] = await once(server, 'request')
  cleanup(() => {
    sent.destroy()
    server.close()
    server.closeAllConnections()
  })
  return { sent, arriving: arriving as IncomingMessage, response }
}

async function countOf(body: RequestBody): Promise<number> {
  let count = 0
  for await (const chunk of body.chunks()) {
    count += chunk.length
  }
  return count
}

test.group('Request body', () => {
  test('a body is read to its end', async ({ assert, cleanup }) => {
    const { sent, arriving } = await underWay(cleanup)
    sent.end(Buffer.alloc(3 * MIB))
    assert.equal(await countOf(new RequestBody(arriving)), 3 * MIB)
  })

  test('the body of a silent client is cancelled', async ({ assert, cleanup }) => {
    const { sent, arriving } = await underWay(cleanup)
    sent.write('abc')
    await assert.rejects(() => countOf(new RequestBody(arriving, 50)), UploadStalled as never)
  })

  test('the body of a client that goes away ends with that', async ({ assert, cleanup }) => {
    const { sent, arriving } = await underWay(cleanup)
    sent.write('abc')
    const body = new RequestBody(arriving)
    const reading = async () => {
      for await (const chunk of body.chunks()) {
        assert.equal(chunk.length, 3)
        sent.destroy()
      }
    }
    await assert.rejects(reading, ClientDisconnected as never)
    assert.isTrue(body.disconnected.aborted)
  })

  test('an abandoned body is discarded, and the response arrives', async ({ assert, cleanup }) => {
    const { sent, arriving, response } = await underWay(cleanup)
    const body = new RequestBody(arriving)
    sent.write(Buffer.alloc(MIB))
    for await (const chunk of body.chunks()) {
      if (chunk) {
        break
      }
    }
    body.release()
    response.writeHead(409).end()
    const answer = once(sent, 'response')
    sent.end(Buffer.alloc(30 * MIB))
    const [{ statusCode }] = await answer
    assert.equal(statusCode, 409)
  })

  test('a body flows off first where the connection is closed with the answer', async ({
    assert,
    cleanup,
  }) => {
    const { sent, arriving, response } = await underWay(cleanup, { connection: 'close' })
    const body = new RequestBody(arriving)
    const waiting = countOf(body).catch((error: Error) => error)
    const answer = once(sent, 'response')
    const drained = body.drained()
    sent.end(Buffer.alloc(30 * MIB))
    await drained
    assert.isTrue(arriving.readableEnded)
    response.writeHead(409).end()
    const [{ statusCode }] = await answer
    assert.equal(statusCode, 409)
    assert.instanceOf(await waiting, ClientDisconnected)
  })
})
