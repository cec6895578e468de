import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { test } from '@japa/runner'

import { OpenTelemetry } from '#observability/open_telemetry'

interface Export {
  resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[]
}

interface SentSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: Record<string, unknown> }[]
}

/** A collector that keeps what it is sent. */
async function startCollector() {
  const exports: { path: string; body: Export }[] = []
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    exports.push({ path: request.url!, body: JSON.parse(Buffer.concat(chunks).toString()) })
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, exports, close: () => server.close() }
}

test('a request and what it does are sent as one trace, continued from the caller', async ({
  assert,
  cleanup,
}) => {
  const collector = await startCollector()
  cleanup(() => void collector.close())
  const telemetry = new OpenTelemetry(`${collector.url}/`)
  const caller = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const request = {
    headers: () => ({ traceparent: caller }),
    method: () => 'GET',
    url: () => '/core/nodes/1',
  }
  const span = telemetry.startRequest(request as never)
  await span.run(() =>
    telemetry.measure('select node', { 'db.system': 'postgresql' }, async () => 1)
  )
  const answered = {
    response: { response: { statusCode: 200 } },
    route: { pattern: '/core/nodes/:id' },
  }
  span.end({ request, ...answered } as never)
  await telemetry.shutdown()

  assert.equal(collector.exports[0]!.path, '/v1/traces')
  const spans = collector.exports.flatMap(({ body }) =>
    body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  )
  const outer = spans.find(({ name }) => name === 'GET /core/nodes/:id')!
  const inner = spans.find(({ name }) => name === 'select node')!
  assert.equal(outer.traceId, '0af7651916cd43dd8448eb211c80319c')
  assert.equal(outer.parentSpanId, 'b7ad6b7169203331')
  assert.equal(inner.parentSpanId, outer.spanId)
  assert.containsSubset(outer.attributes, [
    { key: 'http.route', value: { stringValue: '/core/nodes/:id' } },
    { key: 'http.response.status_code', value: { intValue: 200 } },
  ])
})
