import { request } from 'node:http'
import { text } from 'node:stream/consumers'

import { test } from '@japa/runner'

import type { ContainerSpec } from '#node/containers/container_driver'
import { clock } from '#kernel/clock'
import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'

const WITHIN_MS = 60_000

interface Call {
  readonly method?: string
  readonly token?: string | undefined
  readonly body?: object
}

/** A request of an analysis to a gateway. */
function call(
  { gatewaySocket }: ContainerSpec,
  path: string,
  { method = 'GET', token, body }: Call = {}
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    }
    request({ socketPath: gatewaySocket, path, method, headers }, (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode!, body: answer }),
        reject
      )
    })
      .on('error', reject)
      .end(body && JSON.stringify(body))
  })
}

test.group('An analysis that attacks its node', (group) => {
  group.each.timeout(120_000)

  async function running(scene: NodeScene): Promise<ContainerSpec> {
    const { analysisId } = await scene.distribute()
    if (scene.lines.length === 0) {
      await scene.start()
    }
    const { spec } = await eventually(() => scene.containers.running.get(analysisId), WITHIN_MS)
    return spec
  }

  for (const [path, status] of [
    ['//[', 404],
    ['http://[', 404],
    ['/storage/local/%zz', 400],
    ['/..//core/nodes', 404],
    ['/kong/hospital/s3/..%2f..%2fetc%2fpasswd', 404],
  ] as const) {
    test(`a request of ${path} is refused, and the node continues`, async ({ assert, cleanup }) => {
      const scene = await NodeScene.set(cleanup)
      const spec = await running(scene)
      const token = spec.variables.KEYCLOAK_TOKEN
      const refused = await call(spec, path, { token })
      assert.equal(refused.status, status)
      const answered = await call(spec, '/healthz')
      assert.equal(answered.status, 200)
    })
  }

  test('the token of one analysis is refused by the gateway of another', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const one = await running(scene)
    const other = await running(scene)
    const path = ({ variables }: ContainerSpec) =>
      `/message-broker/analyses/${variables.ANALYSIS_ID}/participants`
    for (const secret of ['KEYCLOAK_TOKEN', 'DATA_SOURCE_TOKEN'] as const) {
      const { status } = await call(one, path(one), { token: other.variables[secret] })
      assert.equal(status, 401)
    }
    const own = await call(one, path(one), { token: one.variables.KEYCLOAK_TOKEN })
    assert.equal(own.status, 200)
    const foreign = await call(one, path(other), { token: one.variables.KEYCLOAK_TOKEN })
    assert.equal(foreign.status, 404)
  })

  test('it gets no file of another analysis, though its node may read it', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const spec = await running(scene)
    const token = spec.variables.KEYCLOAK_TOKEN
    const path = `/storage/intermediate/${clock.uuid()}?remote_node_id=${scene.partner.id}`
    scene.hub.bucketOfFiles = clock.uuid()
    const { status } = await call(spec, path, { token })
    assert.equal(status, 404)
    assert.isFalse(
      scene.hub.calls.some((one) => one.path.endsWith('/stream') && one.path.includes('bucket'))
    )
  })

  test('it that says it stopped, and ends at once, has a reason in the log', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const spec = await running(scene)
    const token = spec.variables.KEYCLOAK_TOKEN
    const [assignment] = scene.hub.assignments
    const container = scene.containers.running.get(assignment!.analysisId)!
    await eventually(() => container.analysis.polls > 0, WITHIN_MS)
    const body = { log: 'Stops', log_type: 'info', status: 'stopped' }
    await call(spec, '/po/stream_logs', { method: 'POST', token, body })
    await container.end()
    await eventually(() => assignment!.executionStatus === 'stopped', WITHIN_MS)

    assert.include(
      scene.hub.logs.map(({ message }) => message),
      'The analysis stopped by itself'
    )
  })

  test('it fills no log, and the reason of its end is in it', async ({ assert, cleanup }) => {
    const scene = await NodeScene.set(cleanup)
    const spec = await running(scene)
    const token = spec.variables.KEYCLOAK_TOKEN
    const log = Array.from({ length: 30_000 }, () => 'line').join('\n')
    const body = { log, log_type: 'info' }
    await call(spec, '/po/stream_logs', { method: 'POST', token, body })
    const [assignment] = scene.hub.assignments
    Object.assign(assignment!, { approvalStatus: 'rejected' })
    await eventually(() => assignment!.executionStatus === 'stopped', WITHIN_MS)

    const messages = scene.hub.logs.map(({ message }) => String(message))
    assert.isBelow(messages.length, 3_000)
    assert.include(messages, 'The approval was withdrawn')
    assert.isTrue(messages.some((line) => line.includes('further ones are dropped')))
  })
})
