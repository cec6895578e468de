import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { OpenTelemetry } from '#tracing/open_telemetry'
import { TraceCollector } from '#tests/helpers/observability/trace_collector'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = `00-${TRACE}-b7ad6b7169203331-01`

type Cleanup = (callback: () => void) => void

async function started(cleanup: Cleanup, share = 1) {
  const collector = await TraceCollector.start()
  cleanup(() => collector.close())
  const tracing = new OpenTelemetry({
    endpoint: `${collector.url}/`,
    share,
    serviceName: 'analysis-hub',
  })
  return { collector, tracing }
}

/** A request with these headers, and what was answered so far. */
function exchange(headers: Record<string, string>, status = 200) {
  const answered: Record<string, string> = {}
  const ctx = {
    request: {
      headers: () => headers,
      method: () => 'GET',
      url: () => '/core/nodes/1',
      id: () => 'find-me',
    },
    response: {
      header: (name: string, value: string) => (answered[name] = value),
      response: { statusCode: status },
    },
    route: { pattern: '/core/nodes/:id' },
  }
  return { ctx: ctx as never, answered }
}

test.group('Spans of OpenTelemetry', () => {
  test('a request and its steps are sent as one trace, continued from the caller', async ({
    assert,
    cleanup,
  }) => {
    const { collector, tracing } = await started(cleanup)
    const { ctx, answered } = exchange({ traceparent: CALLER })
    const span = tracing.startRequest(ctx)!
    const step = { name: 'select node', attributes: { 'db.system.name': 'postgresql' } }
    const seen = await span.run(() =>
      tracing.measure(step, async () => ({ inside: tracing.traceparent, ...tracing.logFields }))
    )
    span.end(ctx)
    await tracing.shutdown()

    assert.deepEqual([...collector.paths], ['/v1/traces'])
    const outer = collector.named('GET /core/nodes/:id')!
    const inner = collector.named('select node')!
    assert.equal(outer.traceId, TRACE)
    assert.equal(outer.parentSpanId, 'b7ad6b7169203331')
    assert.equal(inner.parentSpanId, outer.spanId)
    assert.containSubset(outer, {
      service: 'analysis-hub',
      attributes: {
        'http.route': '/core/nodes/:id',
        'http.response.status_code': 200,
        'hub.request_id': 'find-me',
      },
    })
    assert.equal(inner.attributes['db.system.name'], 'postgresql')
    assert.equal(answered.traceresponse, `00-${TRACE}-${outer.spanId}-01`)
    assert.deepEqual(seen, {
      inside: `00-${TRACE}-${inner.spanId}-01`,
      trace_id: TRACE,
      span_id: inner.spanId,
    })
  })

  test('another process continues a trace from its traceparent', async ({ assert, cleanup }) => {
    const { collector, tracing } = await started(cleanup)
    await tracing.resume(CALLER, { name: 'process queue', kind: 'consumer' }, async () => {})
    await tracing.shutdown()
    assert.containSubset(collector.spans, [
      { name: 'process queue', traceId: TRACE, parentSpanId: 'b7ad6b7169203331', kind: 5 },
    ])
  })

  test('a step has the attributes of its result, and suspended work is not part of it', async ({
    assert,
    cleanup,
  }) => {
    const { collector, tracing } = await started(cleanup)
    const step = { name: 'GET', attributesOf: (status: number) => ({ status }) }
    await tracing.resume(CALLER, step, async () => {
      await tracing.suspend(() => tracing.measure({ name: 'never' }, async () => {}))
      assert.isUndefined(tracing.suspend(() => tracing.traceparent))
      return 404
    })
    await tracing.shutdown()
    assert.lengthOf(collector.spans, 1)
    assert.equal(collector.named('GET')!.attributes.status, 404)
  })

  test('a traceparent that is malformed is as if there were none', async ({ assert, cleanup }) => {
    const { collector, tracing } = await started(cleanup)
    for (const malformed of ['', 'x', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, '00-1-1-01']) {
      assert.equal(await tracing.resume(malformed, { name: 'never' }, async () => 7), 7)
    }
    await tracing.shutdown()
    assert.isEmpty(collector.spans)
  })

  test('steps outside of any trace only run', async ({ assert, cleanup }) => {
    const { collector, tracing } = await started(cleanup)
    assert.equal(await tracing.measure({ name: 'never' }, async () => 7), 7)
    assert.isUndefined(tracing.traceparent)
    assert.isEmpty(tracing.logFields)
    await tracing.shutdown()
    assert.isEmpty(collector.spans)
  })

  test('a step that fails names the class of its error, and never its text', async ({
    assert,
    cleanup,
  }) => {
    const { collector, tracing } = await started(cleanup)
    const fail = async () => {
      throw new RangeError('a secret')
    }
    await assert.rejects(() => tracing.resume(CALLER, { name: 'failing' }, fail), 'a secret')
    await tracing.shutdown()
    const failing = collector.named('failing')!
    assert.equal(failing.status.code, 2)
    assert.equal(failing.attributes['error.type'], 'RangeError')
    assert.notInclude(JSON.stringify(collector.spans), 'a secret')
  })

  test('traces that are not recorded leave nothing behind, except those of callers who record', async ({
    assert,
    cleanup,
  }) => {
    const { collector, tracing } = await started(cleanup, 0)
    for (const headers of [{}, { traceparent: `00-${TRACE}-b7ad6b7169203331-00` }]) {
      const { ctx, answered } = exchange(headers as Record<string, string>)
      assert.isUndefined(tracing.startRequest(ctx))
      assert.isEmpty(answered)
    }
    const { ctx } = exchange({ traceparent: CALLER })
    tracing.startRequest(ctx)!.end(ctx)
    await tracing.shutdown()
    assert.deepEqual(
      collector.spans.map(({ name }) => name),
      ['GET /core/nodes/:id']
    )
  })

  test('the share of the traces that begin here is recorded', async ({ assert, cleanup }) => {
    const { tracing } = await started(cleanup, 0.25)
    const { ctx } = exchange({})
    const spans = Array.from({ length: 4_000 }, () => tracing.startRequest(ctx))
    const recorded = spans.filter((span) => span !== undefined).length
    await tracing.shutdown()
    assert.closeTo(recorded, 1_000, 200)
  })

  test('a request that is not recorded is not part of the trace of the one before it on its connection', async ({
    assert,
    cleanup,
  }) => {
    const { tracing } = await started(cleanup, 0)
    const server = createServer((request, response) => {
      const { ctx } = exchange(request.headers as Record<string, string>)
      const answer = () => setImmediate(() => response.end(tracing.traceparent ?? 'none'))
      const span = tracing.startRequest(ctx)
      return span ? span.run(answer) : answer()
    }).listen(0, '127.0.0.1')
    cleanup(() => void server.close())
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const ask = (header: string, end = '') =>
      socket.write(`GET / HTTP/1.1\r\nHost: hub\r\n${header}${end}\r\n`)
    ask(`traceparent: ${CALLER}\r\n`)
    ask('')
    ask('', 'Connection: close\r\n')
    const answers = await text(socket)
    await tracing.shutdown()

    assert.lengthOf(answers.match(new RegExp(`00-${TRACE}-`, 'g'))!, 1)
    assert.lengthOf(answers.match(/none/g)!, 2)
  })
})
