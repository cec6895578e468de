import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'

import { test } from '@japa/runner'

import { Gateway, GATEWAY_LIMITS, type GatewayLimits } from '#node/gateway/gateway'
import { JsonBodies } from '#node/gateway/json_bodies'
import { Router } from '#node/gateway/router'
import { eventually } from '#tests/helpers/eventually'
import { stopwatch } from '#tests/helpers/stopwatch'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import type { Flood } from '#tests/helpers/node/flooding_program'

const MIB = 1024 ** 2
const TOKEN = 'token'
const FLOODING = new URL('../../helpers/node/flooding_program.ts', import.meta.url)

type Cleanup = (callback: () => Promise<void>) => void

/** The gateway of one analysis, with routes that need nothing else of a node. */
class TestGateway {
  readonly refusals: string[] = []
  readonly router = new Router()
  /** Requests that are being handled. */
  handled = 0
  /** Long answers that are over. */
  givenUp = 0

  private constructor(readonly socket: string) {
    const bodies = new JsonBodies()
    this.router
      .add('none', 'GET', '/healthz', ({ response }) => void response.end('ok'))
      .add('node', 'POST', '/unfinished', async (received) => {
        this.handled += 1
        await text(received.request).finally(() => (this.handled -= 1))
        received.response.end('whole')
      })
      .add('node', 'POST', '/json', ({ request: body, response }) =>
        bodies.withFields(body, { maxBytes: 8 * MIB, names: ['kind'] }, ({ kind }) => {
          response.end(kind)
        })
      )
      .add('node', 'GET', '/long', ({ response }) => {
        response.once('close', () => (this.givenUp += 1))
        response.end(Buffer.alloc(8 * MIB))
      })
  }

  static async open(cleanup: Cleanup, limits: Partial<GatewayLimits> = {}): Promise<TestGateway> {
    const gateway = new TestGateway(join(await temporaryFolder(cleanup), 'out'))
    const { socket, router, refusals } = gateway
    const listening = await Gateway.listen(
      socket,
      router,
      { accepts: (_kind, shown) => shown === TOKEN },
      { refused: (...refusal) => refusals.push(refusal.join(' ')) },
      { ...GATEWAY_LIMITS, ...limits }
    )
    cleanup(() => listening.close())
    return gateway
  }

  /** Begins a request. Its body is the caller's to write. */
  begin(method: string, path: string, headers: Record<string, string | number> = {}): Asking {
    const asking = request({
      socketPath: this.socket,
      method,
      path,
      agent: false,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    })
    const answer = once(asking, 'response').then(async ([response]) => ({
      status: (response as IncomingMessage).statusCode,
      headers: (response as IncomingMessage).headers,
      body: await text(response as IncomingMessage),
    }))
    answer.catch(() => {})
    return { asking, answer }
  }

  async post(path: string, body: Buffer) {
    const { asking, answer } = this.begin('POST', path, { 'content-length': body.length })
    asking.on('error', () => {})
    asking.end(body)
    return answer
  }

  async isAlive(): Promise<boolean> {
    const { asking, answer } = this.begin('GET', '/healthz')
    asking.end()
    return (await answer).status === 200
  }

  /** A request that announces more than it sends. */
  async unfinished(): Promise<Asking> {
    const sending = this.begin('POST', '/unfinished', { 'content-length': 1_000 })
    sending.asking.on('error', () => {})
    sending.asking.write('x')
    return sending
  }
}

const closeOf = (socket: Socket): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.once('close', () => resolve())
  return promise
}

interface Asking {
  readonly asking: ClientRequest
  readonly answer: Promise<{
    readonly status: number | undefined
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }>
}

test.group('What an analysis may take of its gateway', (group) => {
  group.each.timeout(60_000)

  test('unfinished requests and a flood of pipelined ones take little memory, and nothing of another analysis', async ({
    assert,
    cleanup,
  }) => {
    const attacked = await TestGateway.open(cleanup)
    const other = await TestGateway.open(cleanup)
    const before = process.memoryUsage.rss()
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const flood: Flood = {
      socket: attacked.socket,
      token: TOKEN,
      unfinished: 16,
      pipelined: 600_000,
    }
    const attacker = new Worker(FLOODING, { workerData: flood })
    cleanup(async () => void (await attacker.terminate()))
    let isOver = false
    const over = once(attacker, 'message').then(() => (isOver = true))
    let most = 0
    let answered = 0
    while (!isOver || answered < 10 || attacked.handled < 16) {
      assert.isTrue(await other.isAlive())
      answered += 1
      most = Math.max(most, process.memoryUsage.rss())
    }
    await over
    delay.disable()

    assert.equal(attacked.handled, 16)
    assert.isBelow(most - before, 256 * MIB)
    assert.isBelow(delay.max / 1e6, 2_000)
  })

  test('a second request on a connection before the first is answered ends it', async ({
    assert,
    cleanup,
  }) => {
    const gateway = await TestGateway.open(cleanup)
    const unfinished = `POST /unfinished HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 1\r\n\r\nx`
    const connection = connect(gateway.socket)
    connection.on('error', () => {})
    connection.write(unfinished + unfinished)
    await closeOf(connection)
    const next = connect(gateway.socket)
    cleanup(async () => void next.destroy())
    for (let count = 0; count < 3; count += 1) {
      next.write(unfinished)
      const [answer] = await once(next, 'data')
      assert.match(String(answer), /^HTTP\/1.1 200 [^]*whole/)
    }
  })

  test('so many requests wait; further ones get 503, and those that never end 408', async ({
    assert,
    cleanup,
  }) => {
    const limits = { connections: 8, handled: 2, waiting: 2, silenceMs: 2_000 }
    const gateway = await TestGateway.open(cleanup, limits)
    const handled = [await gateway.unfinished(), await gateway.unfinished()]
    await eventually(() => gateway.handled === 2)
    const waiting = [await gateway.unfinished(), await gateway.unfinished()]
    const refused = await eventually(async () => {
      const { answer } = await gateway.unfinished()
      const { status, headers } = await answer
      return status === 503 && headers
    })
    assert.equal(refused['retry-after'], '1')
    for (const { answer } of [...handled, ...waiting]) {
      const { status, headers } = await answer
      assert.equal(status, 408)
      assert.equal(headers.connection, 'close')
    }
    await eventually(() => gateway.handled === 0)
    assert.isTrue(await gateway.isAlive())
    assert.isTrue(gateway.refusals.some((line) => line.includes('POST /unfinished 408')))
  })

  test('a connection beyond those that it may have is closed, and nothing is sent for a head that never ends', async ({
    assert,
    cleanup,
  }) => {
    const gateway = await TestGateway.open(cleanup, { connections: 4, silenceMs: 1_000 })
    const connections = [1, 2, 3, 4].map(() => connect(gateway.socket))
    const firsts = connections.map(closeOf)
    connections.forEach((one) => one.on('error', () => {}).resume())
    connections.forEach((one) => one.write('GET /healthz HTTP/1.1\r\n'))
    await eventually(async () => {
      const further = connect(gateway.socket)
      further.on('error', () => {}).resume()
      further.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      await closeOf(further)
      return further.bytesRead === 0
    })
    await Promise.all(firsts)
    assert.isTrue(await gateway.isAlive())
  })

  test('an answer that nobody reads is given up', async ({ assert, cleanup }) => {
    const gateway = await TestGateway.open(cleanup, { silenceMs: 500, handled: 1, waiting: 1 })
    const connection = connect(gateway.socket)
    cleanup(async () => void connection.destroy())
    connection.on('error', () => {})
    connection.pause()
    connection.write(`GET /long HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`)
    await eventually(() => gateway.givenUp === 1)
    assert.isFalse(connection.readableEnded)
  })

  test('a text that is slow to parse does not hold the node up', async ({ assert, cleanup }) => {
    const attacked = await TestGateway.open(cleanup)
    const other = await TestGateway.open(cleanup)
    const hostile = Buffer.from(`{"kind":1,"rest":${'['.repeat(3 * MIB)}${']'.repeat(3 * MIB)}}`)
    const took = stopwatch()
    JSON.parse(hostile.toString())
    const inline = took()
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const answers = Promise.all([1, 2].map(() => attacked.post('/json', hostile)))
    let isOver = false
    void answers.then(() => (isOver = true))
    while (!isOver) {
      assert.isTrue(await other.isAlive())
    }
    delay.disable()

    assert.deepEqual(
      (await answers).map(({ status, body }) => [status, body]),
      [
        [200, '1'],
        [200, '1'],
      ]
    )
    assert.isBelow(delay.max / 1e6, inline / 2)
  })

  test('a body that is no JSON object, or too long, is refused', async ({ assert, cleanup }) => {
    const gateway = await TestGateway.open(cleanup)
    for (const body of ['[]', '{', 'null', `[${'1,'.repeat(MIB)}1]`]) {
      assert.equal((await gateway.post('/json', Buffer.from(body))).status, 400)
    }
    assert.equal((await gateway.post('/json', Buffer.alloc(9 * MIB))).status, 413)
    const { status, body } = await gateway.post('/json', Buffer.from('{"kind":{"a":["é"]}}'))
    assert.deepEqual([status, body], [200, '{"a":["é"]}'])
  })
})
