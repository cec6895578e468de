import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'
import pg from 'pg'

import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { orphansAmong } from '#tests/helpers/observability/orphans'
import { TraceCollector } from '#tests/helpers/observability/trace_collector'
import { s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { startPostgres } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { startRadosgw } from '#tests/services/servers/radosgw'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'
import { TestSandbox } from './test_sandbox.js'

const SURROUNDINGS = fileURLToPath(new URL('../../fixtures/analyses/surroundings', import.meta.url))
const TRACE = randomBytes(16).toString('hex')
const CALLER = `00-${TRACE}-${randomBytes(8).toString('hex')}-01`
const SOON_MS = 300_000

/** From the upload to the result, in the order in which they begin. */
const STEPS = [
  'POST /storage/buckets/:id/resumable',
  'POST /core/analyses/:id/command',
  'send analysisBuilderCommands',
  'process analysisBuilderCommands',
  'Read the analysis',
  'send analysisDistributorCommands',
  'process analysisDistributorCommands',
  'Run the analysis',
  'Pull the image',
  'GET /core/analyses/:id/content',
  'Verify the signature',
  'Unpack the image',
  'Start the container',
  'Report the execution',
  'POST /core/analysis-nodes/:id',
  'Upload a result',
  'POST /storage/buckets/:id/upload',
]

test.group('A sandbox with real parts', (group) => {
  let servers: RealServer[] = []
  let variables: Record<string, string>

  group.setup(async () => {
    const starting = [startPostgres(), startRabbitmq(), startRedis(), startRadosgw()]
    servers = await Promise.all(starting)
    const [postgres, rabbitmq, redis, store] = servers.map(({ url }) => url)
    variables = {
      DATABASE_URL: postgres!,
      AMQP_URL: rabbitmq!,
      REDIS_URL: redis!,
      S3_FORCE_PATH_STYLE: 'true',
      ...s3VariablesFor(store!),
    }
    return async () => {
      await Promise.all(servers.map((server) => server.stop()))
    }
  })
  group.each.timeout(900_000)

  /** A sandbox whose worker is a process of its own. All of its processes send their spans to the collector. */
  async function tracedSandbox(cleanup: (step: () => void | Promise<void>) => void) {
    const collector = await TraceCollector.start()
    cleanup(() => collector.close())
    const secret = randomUUID()
    const shared = {
      APP_KEY: randomBytes(32).toString('hex'),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '0',
    }
    const sandbox = await TestSandbox.create(['--with-real-parts'], {
      ...variables,
      ...shared,
      JOBS: 'bus,outbox,sweeps',
      WORKER_CLIENT_SECRET: secret,
    })
    cleanup(() => sandbox.remove())
    const worker = await HubProcesses.launch('server', {
      variables: {
        ...shared,
        AMQP_URL: variables.AMQP_URL,
        REDIS_URL: variables.REDIS_URL,
        SURFACES: 'none',
        JOBS: 'worker',
        CORE_URL: `${sandbox.url}/core`,
        STORAGE_URL: `${sandbox.url}/storage`,
        IDENTITY_URL: `${sandbox.url}/auth`,
        CLIENT_ID: 'worker',
        CLIENT_SECRET: secret,
        IMAGES_PATH: join(sandbox.folder, 'hub/images'),
        IMAGE_SOURCE: 'archive',
      },
    })
    cleanup(() => worker.remove())
    return { sandbox, collector }
  }

  test('the sandbox runs an analysis in one trace, and is found again in its database', async ({
    assert,
    cleanup,
  }) => {
    const { sandbox, collector } = await tracedSandbox(cleanup)
    await sandbox.up()
    const known = await sandbox.run(SURROUNDINGS, { TRACEPARENT: CALLER })
    assert.include(known, 'KEYCLOAK_TOKEN')
    assert.notMatch(known, /OTEL|TRACE/i)

    await eventually(() => {
      const spans = collector.of(TRACE)
      const names = new Set(spans.map(({ name }) => name))
      return STEPS.every((step) => names.has(step)) && orphansAmong(spans, CALLER).length === 0
    }, SOON_MS)
    const spans = collector.of(TRACE)
    assert.equal(new Set(spans.map(({ instance }) => instance)).size, 5)
    const runs = spans.filter(({ name }) => name === 'Run the analysis')
    assert.lengthOf(new Set(runs.map(({ instance }) => instance)), 3)
    assert.sameMembers(
      [...new Set(spans.map(({ service }) => service))],
      ['analysis-hub', 'analysis-hub-worker', 'analysis-hub-node']
    )

    const [{ id }] = await sandbox.machine.json('--context', 'sandbox', 'get', 'analyses')
    const shown = await sandbox.machine.must('--context', 'sandbox', 'analysis', 'trace', id)
    for (const part of ['build', 'distribution']) {
      const row = new RegExp(` request [0-9a-f-]{36}\\n20.* done +└─ ${part}$`, 'm')
      assert.match(shown, row)
    }
    for (const part of ['run at north', 'run at south', 'run at center']) {
      assert.match(shown, new RegExp(` done +${part}$`, 'm'))
    }
    assert.match(shown, /^20\S+ \S+ +\d+\.\d\d s +done +├─ Read the analysis$/m)

    assert.equal(await countOf(variables.DATABASE_URL!, 'analyses'), 1)
    await sandbox.command('down')
    await sandbox.up()
    assert.include(await sandbox.command('status'), 'north')
    await sandbox.command('down')
  })

  test('the sandbox names the servers that are missing', async ({ assert, cleanup }) => {
    const { REDIS_URL, ...others } = variables
    const sandbox = await TestSandbox.create([], others)
    cleanup(() => sandbox.remove())
    const call = ['sandbox', '--folder', sandbox.folder, 'up', '--with-real-parts']
    const { code, stderr } = await sandbox.machine.call(call, { env: others })
    assert.notEqual(code, 0)
    assert.include(stderr, 'REDIS_URL is missing')
  })
})

async function countOf(url: string, table: string): Promise<number> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${table}`)
    return Number(rows[0]!.count)
  } finally {
    await client.end()
  }
}
