import { test } from '@japa/runner'

import { RunTrace } from '#node/analyses/run_trace'
import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'
import type { HubCall } from '#tests/helpers/node/stand_in_hub'
import { TraceCollector } from '#tests/helpers/observability/trace_collector'
import { orphansAmong } from '#tests/helpers/observability/orphans'
import { currentTraceparent, passTracesOn, startTracing, stopTracing } from '#tracing/tracing'

const WITHIN_MS = 60_000
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const COMMAND = `00-${TRACE}-b7ad6b7169203331-01`

type Cleanup = (callback: () => Promise<void> | void) => void

test.group('The trace of a run', (group) => {
  group.each.timeout(120_000)
  group.each.teardown(() => stopTracing())

  /** Runs an analysis to its end, at a hub that names this trace. */
  async function run(cleanup: Cleanup, traceparent: string | undefined) {
    const scene = await NodeScene.set(cleanup)
    scene.hub.traceparent = traceparent
    scene.containers.onStart = (analysis) => (analysis.status = 'executed')
    await scene.distribute()
    const node = await scene.start()
    const [assignment] = scene.hub.assignments
    await eventually(() => assignment!.executionStatus === 'executed', WITHIN_MS)
    await node.stop()
    return scene.hub.calls
  }

  const traced = (calls: readonly HubCall[]) =>
    calls
      .filter(({ traceparent }) => traceparent !== undefined)
      .map(({ method, path }) => `${method} /${path.split('/')[2]}`)

  test('the trace is that of the command that distributed it, in requests of the run only', async ({
    assert,
    cleanup,
  }) => {
    passTracesOn()
    const calls = await run(cleanup, COMMAND)
    assert.sameMembers(
      [...new Set(traced(calls))],
      ['GET /nodes', 'GET /analyses', 'POST /analysis-nodes']
    )
    assert.deepEqual([...new Set(calls.flatMap(({ traceparent }) => traceparent ?? []))], [COMMAND])
  })

  for (const malformed of ['', 'x', '00-1-1-01', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`]) {
    test(`the trace is missing if the hub names ${malformed || 'nothing'}`, async ({
      assert,
      cleanup,
    }) => {
      passTracesOn()
      assert.isEmpty(traced(await run(cleanup, malformed)))
    })
  }

  test('the trace has the steps of the run if there is a collector, and no orphan', async ({
    assert,
    cleanup,
  }) => {
    const collector = await TraceCollector.start()
    cleanup(() => collector.close())
    const settings = { endpoint: collector.url, share: 0, serviceName: 'analysis-hub-node' }
    await startTracing(settings)
    await run(cleanup, COMMAND)
    await stopTracing()
    const spans = collector.of(TRACE)
    assert.lengthOf(spans, collector.spans.length)
    assert.isEmpty(orphansAmong(spans, COMMAND))
    assert.includeMembers(
      spans.map(({ name }) => name),
      [
        'Run the analysis',
        'Pull the image',
        'Verify the signature',
        'Unpack the image',
        'Start the container',
        'Report the execution',
      ]
    )
    assert.equal(collector.named('Run the analysis')!.attributes['hub.result'], 'executed')
  })

  test('the trace has no more steps than a run may cause', async ({ assert }) => {
    passTracesOn()
    const trace = new RunTrace(COMMAND)
    const seen: (string | undefined)[] = []
    for (let step = 0; step < 1_000; step += 1) {
      await trace.step('Upload a result', async () => void seen.push(currentTraceparent()))
    }
    assert.lengthOf(seen, 1_000)
    assert.lengthOf(
      seen.filter((one) => one !== undefined),
      200
    )
  })
})
