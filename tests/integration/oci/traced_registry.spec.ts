import { test } from '@japa/runner'

import { openImageStore } from '#oci/open_image_store'
import { requestStep } from '#oci/registry/request_step'
import {
  passTracesOn,
  requestTracing,
  resumeTrace,
  startTracing,
  stopTracing,
} from '#tracing/tracing'
import { RegistryServer } from '#tests/helpers/core/registry/registry_server'
import { TraceCollector } from '#tests/helpers/observability/trace_collector'
import { putImage } from '#tests/helpers/oci/images'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const COMMAND = `00-${TRACE}-b7ad6b7169203331-01`
const CLIENT = 3

interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly traceparent: unknown
}

test.group('The trace at a registry', (group) => {
  let registry: RegistryServer
  let received: ReceivedRequest[]

  group.each.setup(async () => {
    registry = await RegistryServer.start()
    received = []
    registry.interference = ({ method, path, request }) => {
      received.push({ method, path, traceparent: request.headers.traceparent })
      return false
    }
    return async () => {
      await stopTracing()
      await registry.stop()
    }
  })
  group.each.timeout(30_000)

  /** Pushes and reads an image. */
  async function push(): Promise<void> {
    const store = await openImageStore(registry.access, { tracing: requestTracing })
    try {
      await putImage(store, 'suite/traced', { tag: 'latest' })
      await store.manifest('suite/traced', 'latest')
    } finally {
      store.close()
    }
  }

  test('the trace continues from the span of each request', async ({ assert, cleanup }) => {
    const collector = await TraceCollector.start()
    cleanup(() => collector.close())
    await startTracing({ endpoint: collector.url, share: 0, serviceName: 'analysis-hub-worker' })
    await resumeTrace(COMMAND, { name: 'Push the image' }, push)
    await stopTracing()

    const steps = collector.of(TRACE).filter(({ kind }) => kind === CLIENT)
    assert.isAbove(received.length, 5)
    assert.sameDeepMembers(
      steps.map(({ name, spanId }) => ({ name, traceparent: `00-${TRACE}-${spanId}-01` })),
      received.map(({ method, path, traceparent }) => {
        const { name } = requestStep({ method, url: new URL(path, `http://${registry.host}`) })
        return { name, traceparent }
      })
    )
  })

  test('the trace is the one that arrived where none is recorded', async ({ assert }) => {
    passTracesOn()
    await resumeTrace(COMMAND, { name: 'Push the image' }, push)
    assert.isNotEmpty(received)
    assert.deepEqual([...new Set(received.map(({ traceparent }) => traceparent))], [COMMAND])
  })

  test('the trace is missing without one before', async ({ assert }) => {
    await push()
    assert.isNotEmpty(received)
    assert.deepEqual([...new Set(received.map(({ traceparent }) => traceparent))], [undefined])
  })
})
