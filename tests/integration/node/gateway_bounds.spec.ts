import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'

import { test } from '@japa/runner'

import { AnalysisProcess } from '#node/analyses/analysis_process'
import { procFile } from '#node/containers/process_tree'
import { Gateway } from '#node/gateway/gateway'
import { JsonBodies } from '#node/gateway/json_bodies'
import { receiveFile } from '#node/gateway/multipart'
import { Router } from '#node/gateway/router'
import { GATEWAY_LIMITS, GatewayProxy, type GatewayLimits } from '#node/sidecar/gateway_proxy'
import { OutputPipes } from '#node/sidecar/output_pipes'
import { Sidecar } from '#node/sidecar/sidecar'
import { eventually } from '#tests/helpers/eventually'
import { stopwatch } from '#tests/helpers/stopwatch'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import type { Flood, FloodMessage } from '#tests/helpers/node/flooding_program'

const MIB = 1024 ** 2
const TOKEN = 'token'
const FLOODING = new URL('../../helpers/node/flooding_program.ts', import.meta.url)

const FILLED_MIB = 512

/** Starts a sidecar that allocates memory on a signal, outside of the heap of V8. */
const FILLING_SIDECAR = [
  'env',
  `NODE_OPTIONS=--import=data:text/javascript,${encodeURIComponent(
    `process.once('SIGUSR2', () => {
      globalThis.held = Array.from({ length: 2 * ${FILLED_MIB} }, () => Buffer.alloc(${MIB}, 1))
    })`
  )}`,
]

type Cleanup = (callback: () => Promise<void>) => void

interface SidecarChanges {
  readonly analysisPort?: number
  readonly command?: readonly string[]
}

interface SidecarGateway {
  readonly gateway: TestGateway
  readonly sidecar: Sidecar
  readonly outputs: OutputPipes
  readonly lines: readonly string[]
  /** The socket that leads to the analysis. */
  readonly inbound: string
}

/** The gateway of one analysis behind its proxy, with routes that need nothing else of a node. */
class TestGateway {
  readonly refusals: string[] = []
  readonly router = new Router()
  /** Where the analysis reaches it. */
  port = 0
  /** Requests that are being handled. */
  handled = 0
  /** Long answers that are over. */
  abandoned = 0

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
      .add('node', 'PUT', '/file', async ({ request: body, response }) => {
        await receiveFile(body, join(socket, '..', 'file'), MIB)
        response.end()
      })
      .add('node', 'GET', '/long', ({ response }) => {
        response.once('close', () => (this.abandoned += 1))
        response.end(Buffer.alloc(8 * MIB))
      })
  }

  static async #listen(cleanup: Cleanup): Promise<TestGateway> {
    const gateway = new TestGateway(join(await temporaryFolder(cleanup), 'out'))
    const { socket, router, refusals } = gateway
    const listening = await Gateway.listen(
      socket,
      router,
      { accepts: (_kind, shown) => shown === TOKEN },
      { refused: (...refusal) => refusals.push(refusal.join(' ')) }
    )
    cleanup(() => listening.close())
    return gateway
  }

  static async open(cleanup: Cleanup, limits: Partial<GatewayLimits> = {}): Promise<TestGateway> {
    const gateway = await TestGateway.#listen(cleanup)
    const { socket, refusals } = gateway
    const log = { add: (sentence: string) => void refusals.push(sentence) }
    const proxy = await GatewayProxy.listen(0, socket, log, { ...GATEWAY_LIMITS, ...limits })
    cleanup(async () => proxy.close())
    gateway.port = proxy.port
    return gateway
  }

  /** With the process that an analysis has beside it, and the pipes of its output. */
  static async withSidecar(
    cleanup: Cleanup,
    { analysisPort = 0, command = [] }: SidecarChanges = {}
  ): Promise<SidecarGateway> {
    const gateway = await TestGateway.#listen(cleanup)
    const { socket, refusals } = gateway
    const outputs = await OutputPipes.open(join(socket, '..'))
    const lines: string[] = []
    const inbound = join(socket, '..', 'in')
    const sidecar = await Sidecar.start(command, {
      gatewaySocket: socket,
      gatewayPort: 0,
      inboundSocket: inbound,
      analysisPort,
      outputs,
      onLine: (line, stream) => void lines.push(`${stream}: ${line}`),
      onRefusal: (sentence) => void refusals.push(sentence),
    })
    cleanup(async () => {
      outputs.close()
      await sidecar.close()
    })
    gateway.port = sidecar.port
    return { gateway, sidecar, outputs, lines, inbound }
  }

  /** Begins a request. Its body is the caller's to write. */
  begin(method: string, path: string, headers: Record<string, string | number> = {}): Asking {
    const asking = request({
      host: '127.0.0.1',
      port: this.port,
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

const FILE_HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'

/** Bodies that exceed both the limits and the socket buffers. */
const TOO_LARGE = {
  json: { line: 'POST /json', body: Buffer.from(`{"kind":"${'x'.repeat(64 * MIB)}"}`) },
  file: {
    line: 'PUT /file',
    body: Buffer.from(`${FILE_HEAD}${'x'.repeat(64 * MIB)}\r\n--b--\r\n`),
  },
}

/** Sends a complete request before it reads the response, as many clients do. */
async function answerToAllOf(
  port: number,
  { line, body }: { readonly line: string; readonly body: Buffer },
  framing: 'announced' | 'chunked'
): Promise<string> {
  const connection = connect(port, '127.0.0.1').pause()
  const [length, frame] =
    framing === 'chunked'
      ? ['Transfer-Encoding: chunked', [`${body.length.toString(16)}\r\n`, '\r\n0\r\n\r\n']]
      : [`Content-Length: ${body.length}`, ['', '']]
  connection.write(
    `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${TOKEN}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\n${length}\r\n\r\n${frame[0]}`
  )
  connection.write(body)
  const sent = Promise.withResolvers<void>()
  connection.once('error', sent.reject)
  connection.write(frame[1]!, () => sent.resolve())
  await sent.promise
  connection.resume()
  const [answer] = await once(connection, 'data')
  connection.destroy()
  return String(answer)
}

/** An analysis that does all at once that could hold its node up. */
class Attacker {
  private constructor(
    readonly port: number,
    readonly worker: Worker,
    readonly cleanup: Cleanup
  ) {}

  static async start(cleanup: Cleanup): Promise<Attacker> {
    const worker = new Worker(FLOODING)
    cleanup(async () => void (await worker.terminate()))
    const [message] = (await once(worker, 'message')) as [FloodMessage]
    return new Attacker('listensAt' in message ? message.listensAt : 0, worker, cleanup)
  }

  async attack({ gateway, outputs, inbound }: SidecarGateway): Promise<void> {
    const flood: Flood = {
      port: gateway.port,
      token: TOKEN,
      unfinished: 16,
      pipelined: 600_000,
      reconnects: 3_000,
    }
    const printing = print(outputs, "yes '' & yes x >&2 & wait")
    const ending = new AbortController()
    const answer = new AnalysisProcess(inbound).health(ending.signal).catch(() => {})
    this.worker.postMessage(flood)
    await once(this.worker, 'message')
    ending.abort()
    await answer
    process.kill(-printing.pid!, 'SIGKILL')
  }
}

/** Runs a script whose output goes into the pipes. */
const print = ({ sinks }: OutputPipes, script: string): ChildProcess =>
  spawn('sh', ['-c', script], { stdio: ['ignore', ...sinks], detached: true })

/** The longest time in milliseconds for which the loop of this process stood still. */
async function loopDelayDuring(work: () => Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  delay.disable()
  return delay.max / 1e6
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
  group.each.timeout(120_000)

  test('whatever it sends, prints and answers, its node has time for others, and its sidecar little memory', async ({
    assert,
    cleanup,
  }) => {
    const attacker = await Attacker.start(cleanup)
    const attacked = await TestGateway.withSidecar(cleanup, { analysisPort: attacker.port })
    const other = await TestGateway.withSidecar(cleanup)
    const before = process.memoryUsage.rss()
    const quiet = await loopDelayDuring(async () => {
      for (let count = 0; count < 50; count += 1) {
        assert.isTrue(await other.gateway.isAlive())
      }
    })
    let most = 0
    let answered = 0
    let isOver = false
    const flooded = await loopDelayDuring(async () => {
      const over = attacker.attack(attacked).then(() => (isOver = true))
      while (!isOver || answered < 50 || attacked.gateway.handled < 16) {
        assert.isTrue(await other.gateway.isAlive())
        answered += 1
        most = Math.max(most, process.memoryUsage.rss())
      }
      await over
    })
    const [, peakKib = ''] =
      /^VmHWM:\s+(\d+)/m.exec(procFile(`${attacked.sidecar.pid}/status`)) ?? []

    assert.equal(attacked.gateway.handled, 16)
    assert.isAbove(attacked.lines.length, 10_000)
    assert.isBelow(flooded, quiet + 500)
    assert.isBelow(Number(peakKib) / 1024, 256)
    assert.isBelow(most - before, 256 * MIB)
  })

  test('output comes whole and in order, and the end of a sidecar is the end of the output', async ({
    assert,
    cleanup,
  }) => {
    const { outputs, sidecar, lines } = await TestGateway.withSidecar(cleanup)
    const program = print(outputs, 'seq 1 3000; echo last >&2; printf end')
    outputs.close()
    await once(program, 'exit')
    await sidecar.outputEnded
    const expected = Array.from({ length: 3_000 }, (_, index) => `stdout: ${index + 1}`)
    assert.deepEqual(
      lines.filter((line) => line.startsWith('stdout')),
      [...expected, 'stdout: end']
    )
    assert.include(lines, 'stderr: last')
    const killed = await TestGateway.withSidecar(cleanup)
    process.kill(killed.sidecar.pid, 'SIGKILL')
    await killed.sidecar.outputEnded
  })

  test('a sidecar that takes more memory than it may ends', async ({ assert, cleanup }) => {
    const { sidecar } = await TestGateway.withSidecar(cleanup, { command: FILLING_SIDECAR })
    const rss = () => Number(/^VmRSS:\s+(\d+)/m.exec(procFile(`${sidecar.pid}/status`))?.[1] ?? 0)
    let hasEnded = false
    let most = 0
    void sidecar.ended.then(() => (hasEnded = true))
    process.kill(sidecar.pid, 'SIGUSR2')
    await eventually(() => {
      most = Math.max(most, rss() / 1024)
      return hasEnded || most > FILLED_MIB
    })
    assert.isTrue(hasEnded)
    assert.isBelow(most, 256)
  })

  test('requests beyond those of a second wait for their turn', async ({ assert, cleanup }) => {
    const gateway = await TestGateway.open(cleanup, { perSecond: 20 })
    const took = stopwatch()
    for (let count = 0; count < 40; count += 1) {
      assert.isTrue(await gateway.isAlive())
    }
    assert.isAbove(took(), 500)
  })

  test('what follows a request without a body is none of its own', async ({ assert, cleanup }) => {
    const gateway = await TestGateway.open(cleanup)
    const hidden = 'POST /unfinished HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n'
    const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
    const connection = connect(gateway.port, '127.0.0.1')
    cleanup(async () => void connection.destroy())
    connection.on('error', () => {})
    connection.write(
      `GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`
    )
    const [answer] = await once(connection, 'data')
    assert.match(String(answer), /^HTTP\/1.1 200/)
    assert.isTrue(await gateway.isAlive())
    assert.isEmpty(gateway.refusals)
  })

  test('a second request on a connection before the first is answered ends it', async ({
    assert,
    cleanup,
  }) => {
    const gateway = await TestGateway.open(cleanup)
    const unfinished = `POST /unfinished HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 1\r\n\r\nx`
    const connection = connect(gateway.port, '127.0.0.1')
    connection.on('error', () => {})
    connection.write(unfinished + unfinished)
    await closeOf(connection)
    const next = connect(gateway.port, '127.0.0.1')
    cleanup(async () => void next.destroy())
    for (let count = 0; count < 3; count += 1) {
      next.write(unfinished)
      const [answer] = await once(next, 'data')
      assert.match(String(answer), /^HTTP\/1.1 200 [^]*whole/)
    }
  })

  test('requests wait up to a limit; further ones get 503, and endless ones 408', async ({
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
    assert.isTrue(
      gateway.refusals.some((line) => line.includes('POST /unfinished was answered with 408'))
    )
  })

  test('a connection beyond those that it may have is closed, and nothing is sent for a head that never ends', async ({
    assert,
    cleanup,
  }) => {
    const gateway = await TestGateway.open(cleanup, { connections: 4, silenceMs: 1_000 })
    const connections = [1, 2, 3, 4].map(() => connect(gateway.port, '127.0.0.1'))
    const firsts = connections.map(closeOf)
    connections.forEach((one) => one.on('error', () => {}).resume())
    connections.forEach((one) => one.write('GET /healthz HTTP/1.1\r\n'))
    await eventually(async () => {
      const further = connect(gateway.port, '127.0.0.1')
      further.on('error', () => {}).resume()
      further.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      await closeOf(further)
      return further.bytesRead === 0
    })
    await Promise.all(firsts)
    assert.isTrue(await gateway.isAlive())
  })

  test('an answer that is not read is abandoned', async ({ assert, cleanup }) => {
    const gateway = await TestGateway.open(cleanup, { silenceMs: 500, handled: 1, waiting: 1 })
    const connection = connect(gateway.port, '127.0.0.1')
    cleanup(async () => void connection.destroy())
    connection.on('error', () => {})
    connection.pause()
    connection.write(`GET /long HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`)
    await eventually(() => gateway.abandoned === 1)
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

  test('a small text is parsed beside the work of the node where that is slow', async ({
    assert,
    cleanup,
  }) => {
    const gateway = await TestGateway.open(cleanup)
    let threads = 0
    const count = () => void (threads += 1)
    process.on('worker', count)
    cleanup(async () => void process.off('worker', count))
    await gateway.post('/json', Buffer.from(`{"kind":1,"rest":"${'x'.repeat(16_000)}"}`))
    assert.equal(threads, 0)
    const nested = `{"kind":1,"rest":${'['.repeat(8_000)}${']'.repeat(8_000)}}`
    const properties = `{"kind":1${Array.from({ length: 1_500 }, (_, at) => `,"${at}":1`).join('')}}`
    for (const slow of [nested, properties]) {
      const { status, body } = await gateway.post('/json', Buffer.from(slow))
      assert.deepEqual([status, body], [200, '1'])
    }
    assert.equal(threads, 2)
  })

  test(
    'a body beyond its limit gets 413, also if its sender sends all of it first: {kind}, {framing}'
  )
    .with([
      { kind: 'json', framing: 'announced' },
      { kind: 'json', framing: 'chunked' },
      { kind: 'file', framing: 'announced' },
      { kind: 'file', framing: 'chunked' },
    ] as const)
    .run(async ({ assert, cleanup }, { kind, framing }) => {
      const { gateway } = await TestGateway.withSidecar(cleanup)
      const answer = await answerToAllOf(gateway.port, TOO_LARGE[kind], framing)
      assert.match(answer, /^HTTP\/1.1 413 /)
      assert.isTrue(await gateway.isAlive())
      assert.lengthOf(gateway.refusals, 1)
    })

  test('a body other than a JSON object, or too long, is refused', async ({ assert, cleanup }) => {
    const gateway = await TestGateway.open(cleanup)
    for (const body of ['[]', '{', 'null', `[${'1,'.repeat(MIB)}1]`]) {
      assert.equal((await gateway.post('/json', Buffer.from(body))).status, 400)
    }
    assert.equal((await gateway.post('/json', Buffer.alloc(9 * MIB))).status, 413)
    const { status, body } = await gateway.post('/json', Buffer.from('{"kind":{"a":["é"]}}'))
    assert.deepEqual([status, body], [200, '{"a":["é"]}'])
  })
})
