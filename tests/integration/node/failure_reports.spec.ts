import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'

import { test } from '@japa/runner'

import type { ContainerSpec } from '#node/containers/container_driver'
import { Policy } from '#node/policy/policy'
import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'

const WITHIN_MS = 60_000
const TRACEBACK = [
  'Traceback (most recent call last):',
  '  File "/opt/code/main.py", line 14, in mean',
  '    float(row["age"])',
  'ValueError: could not convert Jane Doe',
]

type Cleanup = Parameters<typeof NodeScene.set>[0]

/** An analysis that has printed a traceback and logged a row, and runs on. */
async function broken(cleanup: Cleanup, policy: ConstructorParameters<typeof Policy>[0]) {
  const scene = await NodeScene.set(cleanup, new Policy(policy))
  const assignment = await scene.distribute()
  await scene.start()
  const container = await eventually(
    () => scene.containers.running.get(assignment.analysisId),
    WITHIN_MS
  )
  await eventually(() => container.analysis.polls > 0, WITHIN_MS)
  TRACEBACK.forEach((line) => container.spec.onLine(line, 'stderr'))
  await logLine(container.spec, 'info', 'the first row: Jane Doe')
  await logLine(container.spec, 'error', 'it fails at Jane Doe')
  const failed = () => eventually(() => assignment.executionStatus === 'failed', WITHIN_MS)
  const messages = () => scene.hub.logs.map(({ message }) => String(message))
  const printed = () =>
    readFile(join(scene.settings.folder, 'output', `${assignment.analysisId}.log`), 'utf8')
  return { container, failed, messages, printed }
}

function logLine(spec: ContainerSpec, level: string, log: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(
      {
        socketPath: spec.gatewaySocket,
        path: '/po/stream_logs',
        method: 'POST',
        headers: {
          'authorization': `Bearer ${spec.variables.KEYCLOAK_TOKEN}`,
          'content-type': 'application/json',
        },
      },
      (response) => response.resume().on('end', resolve)
    )
      .on('error', reject)
      .end(JSON.stringify({ log, log_type: level, status: 'executing' }))
  })
}

test.group('Why an analysis failed', (group) => {
  group.each.timeout(120_000)

  test('the reason reaches the hub with the place in its code, though its process stays alive', async ({
    assert,
    cleanup,
  }) => {
    const { container, failed, messages } = await broken(cleanup, {})
    container.analysis.status = 'failed'
    await failed()
    assert.includeMembers(messages(), [
      'The analysis says that it has failed',
      ...TRACEBACK,
      'the first row: Jane Doe',
    ])
  })

  test('the reason reaches the hub with the place in its code when its process ends', async ({
    assert,
    cleanup,
  }) => {
    const { container, failed, messages } = await broken(cleanup, {})
    await container.end(1)
    await failed()
    assert.includeMembers(messages(), ['The analysis ended with code 1', ...TRACEBACK])
  })

  test('the reason has no values where the policy keeps them, and neither has its log', async ({
    assert,
    cleanup,
  }) => {
    const { container, failed, messages, printed } = await broken(cleanup, {
      shareErrorValues: false,
      shareLogs: false,
    })
    container.analysis.status = 'failed'
    await failed()
    assert.includeMembers(messages(), [TRACEBACK[1]!, 'ValueError'])
    assert.notMatch(messages().join('\n'), /Jane|row\[/)
    const output = await printed()
    assert.include(output, 'info: the first row: Jane Doe')
    assert.include(output, TRACEBACK[3]!)
  })

  test('the reason stays at the node where the policy keeps errors, and other lines of its log do not', async ({
    assert,
    cleanup,
  }) => {
    const { container, failed, messages } = await broken(cleanup, { shareErrors: false })
    await container.end(1)
    await failed()
    assert.include(messages(), 'the first row: Jane Doe')
    assert.include(messages(), 'The analysis ended with code 1')
    assert.notMatch(messages().join('\n'), /Traceback|ValueError|it fails/)
  })
})
