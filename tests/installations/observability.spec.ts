import { readFileSync } from 'node:fs'

import { test } from '@japa/runner'

import { HubProcesses } from '#tests/helpers/hub_processes'
import { TraceCollector } from '#tests/helpers/observability/trace_collector'
import { realTime } from '#tests/helpers/real_time'

const MEGABYTE_IN_KILOBYTES = 1024
const DRIVERS = ['ioredis', 'amqplib', '@aws-sdk', '@opentelemetry/sdk-trace', '@poppinss/ts-exec']

/** The lines of the log, which stand among what is said to people. */
function logLines({ output }: HubProcesses): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

test.group('The version of a running program', () => {
  test('the version is answered with the commit that it was built from', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    const commit = readFileSync(new URL('../../build/commit', import.meta.url), 'utf8')
    for (const path of ['/', '/core/']) {
      const headers = { accept: 'application/json' }
      const response = await fetch(`${hub.origin}${path}`, { headers })
      assert.equal(response.headers.get('x-hub-commit') ?? '', commit)
      const body = (await response.json()) as object
      assert.sameMembers(Object.keys(body), ['version', 'timestamp'])
    }
    const page = await fetch(`${hub.origin}/`, { headers: { accept: 'text/html' } })
    assert.include(await page.text(), commit.slice(0, 12))
  })
})

test.group('Limits of requests', () => {
  test('a caller with too many requests is refused, with the time to retry', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server', { variables: { RATE_LIMIT_ANONYMOUS: '3' } })
    cleanup(() => hub.remove())
    const answers = []
    for (let request = 0; request < 4; request++) {
      answers.push(await fetch(`${hub.origin}/core/`))
    }
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 429]
    )
    assert.equal(answers[0]!.headers.get('ratelimit-limit'), '3')
    assert.equal(answers[0]!.headers.get('ratelimit-remaining'), '2')
    const refused = answers[3]!
    assert.isAtLeast(Number(refused.headers.get('retry-after')), 1)
    assert.equal(refused.headers.get('ratelimit-remaining'), '0')
    assert.containsSubset(await refused.json(), {
      statusCode: 429,
      code: 'rate_limited',
      issues: [],
    })
  })
})

test.group('Logs of a running program', () => {
  test('log lines are JSON lines that carry the request id, and no token', async ({
    assert,
    cleanup,
  }) => {
    const hub = await HubProcesses.start('server', { variables: { LOG_LEVEL: 'debug' } })
    cleanup(() => hub.remove())
    const headers = { 'x-request-id': 'find-me', 'authorization': 'Bearer very-secret-token' }
    await fetch(`${hub.origin}/core/?access_token=very-secret-token`, { headers })
    await hub.until('the request was logged', () => hub.output.includes('find-me'))
    const [line] = logLines(hub).filter(({ request_id: id }) => id === 'find-me')
    assert.containsSubset(line, { method: 'GET', path: '/core/', status: 200 })
    assert.notInclude(hub.output, 'very-secret-token')
  })
})

test.group('Metrics of a running program', () => {
  test('metrics count requests by the pattern of their route', async ({ assert, cleanup }) => {
    const hub = await HubProcesses.start('server')
    cleanup(() => hub.remove())
    await fetch(`${hub.origin}/core/nodes/9b2d7a54-0000-4000-8000-000000000000`)
    await fetch(`${hub.origin}/core/no/such/path`)
    const response = await fetch(`${hub.admin}/metrics`)
    const text = await response.text()
    assert.match(
      text,
      /http_request_duration_seconds_count\{[^}]*route="\/core\/nodes\/:id",status="401"\} 1/
    )
    assert.match(text, /http_request_duration_seconds_count\{[^}]*route="none",status="404"\} 1/)
    assert.include(text, 'process_resident_memory_bytes')
    const outside = await fetch(`${hub.origin}/metrics`)
    assert.equal(outside.status, 404)
  })
})

test.group('Traces', () => {
  test('traces go to the collector that is configured', async ({ assert, cleanup }) => {
    const collector = await TraceCollector.start()
    cleanup(() => collector.close())
    const hub = await HubProcesses.start('server', {
      variables: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    })
    cleanup(() => hub.remove())
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await fetch(`${hub.origin}/storage/`, { headers: { traceparent } })
    hub.signal('SIGTERM')
    assert.equal(await hub.exit, 0)
    const names = collector.of('0af7651916cd43dd8448eb211c80319c').map(({ name }) => name)
    assert.include(names.join(), 'GET /storage')
  })
})

test.group('A process with embedded drivers only', () => {
  test('the process carries no driver that is not configured, and little memory', async ({
    assert,
    cleanup,
  }) => {
    const preload = new URL('../helpers/report_modules.mjs', import.meta.url).href
    const hub = await HubProcesses.start('server', {
      variables: { NODE_OPTIONS: `--import=${preload}` },
    })
    cleanup(() => hub.remove())
    await fetch(`${hub.origin}/core/`)
    await realTime(1_000, 'a program loads the rest of its modules in the background')
    const loaded = hub.output.split('\n').filter((line) => line.startsWith('module '))
    assert.isAbove(loaded.length, 100)
    for (const driver of DRIVERS) {
      assert.isEmpty(loaded.filter((line) => line.includes(`node_modules/${driver}/`)))
    }
    const status = readFileSync(`/proc/${hub.pid}/status`, 'utf8')
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)![1])
    // About 190 on a quiet machine; how much garbage is left depends on when it is collected.
    assert.isAtMost(kilobytes, 256 * MEGABYTE_IN_KILOBYTES)
  })
})
