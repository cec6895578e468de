import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'

import { test } from '@japa/runner'
import pg from 'pg'

import { locateEmbeddedPostgres } from '#embedded/locate'
import { FolderStore } from '#oci/folder/folder_store'
import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { RecordingProxy } from '#tests/helpers/observability/recording_proxy'
import { orphansAmong } from '#tests/helpers/observability/orphans'
import { TraceCollector, type CollectedSpan } from '#tests/helpers/observability/trace_collector'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { enterMasterImage, Researcher } from '#tests/helpers/worker/researcher'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'
import { Machine } from '#tests/services/hubctl/hubctl'
import { startDockerRegistry } from '#tests/services/servers/docker_registry'
import { GO_MISSING, HAS_GO } from '#tests/services/servers/go_program'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { startRedis } from '#tests/services/servers/redis'
import { startVictoriaLogs } from '#tests/services/servers/victorialogs'

const SOON_MS = 300_000
const APP_KEY = randomBytes(32).toString('hex')
const SECRET = randomUUID()
/** The status of a span that failed. */
const FAILED = 2
/** The kind of a span that asks another server. */
const CLIENT = 3

/** Each begins a process or is what one does within it. */
const STEPS = [
  'POST /storage/buckets/:id/upload',
  'POST /core/analyses/:id/command',
  'send analysisBuilderCommands',
  'process analysisBuilderCommands',
  'GET /core/analyses/:id',
  'Read the analysis',
  'send audit',
  'send bus',
  'process core.analysisBuilderEvents',
]

const newTrace = () => randomBytes(16).toString('hex')
const traceparentOf = (trace: string) => `00-${trace}-${randomBytes(8).toString('hex')}-01`

const namesOf = (spans: readonly CollectedSpan[]) => new Set(spans.map(({ name }) => name))

test.group('The trace of an analysis', (group) => {
  let collector: TraceCollector
  let hub: HubProcesses
  let worker: HubProcesses
  let researcher: Researcher
  let masterImageId: string
  let operator: Machine

  const cleanups: (() => unknown)[] = []
  const cleanup = (step: () => unknown) => void cleanups.unshift(step)

  group.setup(() => async () => {
    for (const step of cleanups) {
      await step()
    }
  })

  group.setup(async () => {
    const folder = await temporaryFolder(cleanup)
    collector = await TraceCollector.start()
    cleanup(() => collector.close())
    const broker = await startRabbitmq()
    cleanup(() => broker.stop())
    const redis = await startRedis()
    cleanup(() => redis.stop())
    const logStore = HAS_GO ? await startVictoriaLogs() : undefined
    cleanup(() => logStore?.stop())
    const shared = {
      APP_KEY,
      AMQP_URL: broker.url,
      REDIS_URL: redis.url,
      IMAGES_PATH: join(folder, 'images'),
      LOG_LEVEL: 'info',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: '0',
    }
    hub = await HubProcesses.start('pool', {
      variables: {
        ...shared,
        JOBS: 'bus,outbox,sweeps',
        POOL_WEB: '1',
        POOL_JOBS: '1',
        SKIP_PROJECT_APPROVAL: 'true',
        SKIP_ANALYSIS_APPROVAL: 'true',
        WORKER_CLIENT_SECRET: SECRET,
        LOGSTORE_URL: logStore?.url,
      },
    })
    cleanup(() => hub.remove())
    worker = await HubProcesses.launch('server', {
      variables: {
        ...shared,
        SURFACES: 'none',
        JOBS: 'worker',
        CORE_URL: `${hub.origin}/core`,
        STORAGE_URL: `${hub.origin}/storage`,
        IDENTITY_URL: `${hub.origin}/auth`,
        CLIENT_ID: 'worker',
        CLIENT_SECRET: SECRET,
        WORKER_PATH: join(folder, 'worker'),
      },
    })
    cleanup(() => worker.remove())
    await putTinyImage(await FolderStore.open(shared.IMAGES_PATH), 'master/python/base')
    masterImageId = await enterMasterImage(hub.folder, {
      virtualPath: 'python/base',
      command: 'python3',
    })
    researcher = await Researcher.at(hub.origin)
    operator = await Machine.createRecord()
    cleanup(() => operator.remove())
    await operator.login(hub.origin)
  })

  /** Uploads and builds an analysis within one trace; returns what was recorded of it. */
  async function build(imageId = masterImageId, headers: Record<string, string> = {}) {
    const trace = newTrace()
    const caller = traceparentOf(trace)
    const project = await researcher.project()
    researcher.headers = { ...headers, traceparent: caller }
    const id = await researcher.analysis(project, imageId, { 'main.py': 'print(1)\n' })
    await researcher.lockAndBuild(id)
    researcher.headers = {}
    const { buildStatus } = await researcher.built(id, undefined, SOON_MS)
    const isWhole = () => STEPS.every((step) => namesOf(collector.of(trace)).has(step))
    await eventually(async () => isWhole(), SOON_MS)
    return { trace, caller, buildStatus }
  }

  test('the trace goes from the request over outbox, bus and worker to its end, without an orphan', async ({
    assert,
  }) => {
    const { trace, caller, buildStatus } = await build()
    assert.equal(buildStatus, 'executed')
    await eventually(() => {
      const spans = collector.of(trace)
      return namesOf(spans).size >= 15 && orphansAmong(spans, caller).length === 0
    }, SOON_MS)
    const spans = collector.of(trace)
    assert.isAtLeast(new Set(spans.map(({ instance }) => instance)).size, 3)
    assert.sameMembers(
      [...new Set(spans.map(({ service }) => service))],
      ['analysis-hub', 'analysis-hub-jobs', 'analysis-hub-worker']
    )
  }).timeout(900_000)

  test('the trace stands in the log lines of each process', async ({ assert }) => {
    const { trace } = await build()
    await eventually(async () => hub.output.includes(trace) && worker.output.includes(trace))
    const lines = `${hub.output}\n${worker.output}`
      .split('\n')
      .filter((line) => line.includes(trace))
    assert.isNotEmpty(lines)
    for (const line of lines) {
      assert.match((JSON.parse(line) as { span_id: string }).span_id, /^[0-9a-f]{16}$/)
    }
  }).timeout(900_000)

  test('the trace leads from the id of a request to the step of the worker that failed', async ({
    assert,
  }) => {
    const missing = await enterMasterImage(hub.folder, { virtualPath: 'gone', command: 'python3' })
    const requestId = randomUUID()
    const { buildStatus } = await build(missing, { 'x-request-id': requestId })
    assert.equal(buildStatus, 'failed')
    const [request] = collector.spans.filter(
      ({ attributes }) => attributes['hub.request_id'] === requestId
    )
    const failed = collector
      .of(request!.traceId)
      .filter(({ status, service }) => status.code === FAILED && service === 'analysis-hub-worker')
    assert.include(failed[0]?.name, 'Find the image gone')
  }).timeout(900_000)

  test('the trace is found in the log store by the request id of the answer alone, if nothing is recorded', async ({
    assert,
  }) => {
    const missing = await enterMasterImage(hub.folder, { virtualPath: 'lost', command: 'python3' })
    const project = await researcher.project()
    const id = await researcher.analysis(project, missing, { 'main.py': 'print(1)\n' })
    const { name } = await researcher.core('GET', `/analyses/${id}`)
    await researcher.command(id, 'configurationLock')
    const answer = await fetch(`${hub.origin}/core/analyses/${id}/command`, {
      method: 'POST',
      headers: await operator.headers(),
      body: JSON.stringify({ command: 'buildStart' }),
    })
    assert.equal(answer.status, 202)
    await answer.body?.cancel()
    const requestId = answer.headers.get('x-request-id')!

    const shown = await eventually(async () => {
      const { code, stdout } = await operator.call(['trace', requestId])
      return code === 0 && / failed +└─ build/.test(stdout) ? stdout : undefined
    }, SOON_MS)
    const [, root, part, ...steps] = shown.split('\n')
    assert.match(root!, new RegExp(` request ${requestId}$`))
    assert.match(part!, new RegExp(` failed +└─ build of ${name}$`))
    assert.match(steps[0]!, / done + {3}├─ Read the analysis$/)
    assert.match(shown, / failed + {3}├─ Find the image lost/)
    assert.match(shown, / failed + {3}└─ .*lost/)

    const { parts } = await operator.json('trace', requestId)
    assert.containSubset(parts, [
      { name: 'build', result: 'failed', requestId, record: { kind: 'analysis', id } },
    ])
    assert.include(await operator.must('analysis', 'trace', id), root!)
    assert.deepEqual(await operator.json('analysis', 'trace', id), parts)
  })
    .timeout(900_000)
    .skip(!HAS_GO, GO_MISSING)

  test('the trace shows why a request failed, by the id of the answer', async ({ assert }) => {
    const database = new pg.Client(await locateEmbeddedPostgres(join(hub.folder, '.data/postgres')))
    database.on('error', () => {})
    await database.connect()
    await database.query('alter table master_image_groups rename to missing_groups')
    const answer = await fetch(`${hub.origin}/core/master-image-groups`, {
      headers: await operator.headers(),
    })
    await answer.body?.cancel()
    await database.query('alter table missing_groups rename to master_image_groups')
    await database.end()
    assert.equal(answer.status, 500)

    const requestId = answer.headers.get('x-request-id')!
    const shown = await eventually(async () => {
      const { code, stdout } = await operator.call(['trace', requestId])
      return code === 0 ? stdout : undefined
    }, SOON_MS)
    assert.match(shown, / failed +└─ .*"master_image_groups" does not exist/)
    const unknown = await operator.call(['trace', randomUUID()])
    assert.equal(unknown.code, 5)
    assert.include(unknown.stderr, 'LOG_SHIP_LEVEL')
  })
    .timeout(900_000)
    .skip(!HAS_GO, GO_MISSING)

  // Builds leave the folder once there is a registry, so it is the last one.
  test('the trace continues at a registry', async ({ assert }) => {
    const { server, access } = await startDockerRegistry()
    cleanup(() => server.stop())
    const proxy = await RecordingProxy.before(access.host)
    cleanup(() => proxy.close())
    await researcher.enterRegistry({ name: 'recorded', ...access, host: proxy.host })
    const { trace, buildStatus } = await build()
    assert.equal(buildStatus, 'executed')

    const passed = proxy.passed.filter(({ traceparent }) => traceparent?.includes(trace))
    const spanOf = ({ traceparent }: { traceparent: string | undefined }) =>
      collector.of(trace).find(({ spanId }) => spanId === traceparent!.split('-')[2])
    await eventually(() => passed.every((request) => spanOf(request)), SOON_MS)
    for (const request of passed) {
      const { name, kind, service, attributes } = spanOf(request)!
      assert.isTrue(name.startsWith(`${request.method} /v2/`), name)
      assert.equal(kind, CLIENT)
      assert.equal(service, 'analysis-hub-worker')
      assert.containSubset(attributes, {
        'http.request.method': request.method,
        'server.address': '127.0.0.1',
        'server.port': Number(proxy.host.split(':')[1]),
        'url.scheme': 'http',
      })
    }
    const methods = new Set(passed.map(({ method }) => method))
    assert.includeMembers([...methods], ['POST', 'PUT'])
    const pushed = proxy.passed.filter(({ method }) => ['POST', 'PATCH', 'PUT'].includes(method))
    assert.isTrue(pushed.every((request) => passed.includes(request)))
  }).timeout(900_000)
})
