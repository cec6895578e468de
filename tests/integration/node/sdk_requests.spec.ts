import { request } from 'node:http'
import { text } from 'node:stream/consumers'

import { test } from '@japa/runner'

import type { ContainerSpec } from '#node/containers/container_driver'
import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'

const WITHIN_MS = 60_000

type Cleanup = Parameters<typeof NodeScene.set>[0]

/** A node with an analysis that runs, and what the published SDK asks its gateway. */
async function running(cleanup: Cleanup) {
  const scene = await NodeScene.set(cleanup)
  const { analysisId } = await scene.distribute()
  await scene.start()
  const { spec } = await eventually(() => scene.containers.running.get(analysisId), WITHIN_MS)
  return { scene, spec }
}

async function call(
  { gatewaySocket, variables }: ContainerSpec,
  method: string,
  path: string,
  form?: FormData
): Promise<{ status: number; body: string }> {
  const encoded = new Response(form)
  const headers = {
    authorization: `Bearer ${variables.KEYCLOAK_TOKEN}`,
    ...(form && { 'content-type': encoded.headers.get('content-type')! }),
  }
  const sent = form && Buffer.from(await encoded.arrayBuffer())
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
  request({ socketPath: gatewaySocket, method, path, headers }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode!, body }), reject)
  })
    .on('error', reject)
    .end(sent)
  return promise
}

function formWith(content: string, fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  form.append('file', new Blob([content]), 'result.txt')
  Object.entries(fields).forEach(([name, value]) => form.append(name, value))
  return form
}

test.group('What the published SDK asks of its node', (group) => {
  group.each.timeout(120_000)

  test('the SDK is answered when it asks how the message broker is', async ({
    assert,
    cleanup,
  }) => {
    const { spec } = await running(cleanup)
    const { status } = await call(spec, 'GET', '/message-broker/healthz')
    assert.equal(status, 200)
  })

  test('the SDK is answered with the tags of local files and their addresses', async ({
    assert,
    cleanup,
  }) => {
    const { spec } = await running(cleanup)
    for (const tag of ['first', 'first', 'second']) {
      await call(spec, 'PUT', '/storage/local', formWith('content', { tag }))
    }
    const { body } = await call(spec, 'GET', '/storage/local/tags')
    const { tags } = JSON.parse(body) as { tags: { name: string; url: string }[] }
    assert.deepEqual(
      tags.map(({ name }) => name),
      ['first', 'second']
    )
    const { pathname } = new URL(tags[0]!.url)
    const tagged = await call(spec, 'GET', pathname)
    assert.lengthOf((JSON.parse(tagged.body) as { results: unknown[] }).results, 2)
  })

  test('a result with local differential privacy leaves the node with noise only', async ({
    assert,
    cleanup,
  }) => {
    const { scene, spec } = await running(cleanup)
    const amount = { epsilon: '1.0', sensitivity: '2.0' }
    const { status } = await call(spec, 'PUT', '/storage/final/localdp', formWith('100.25', amount))
    assert.equal(status, 204)
    const [stored] = [...scene.hub.files.values()]
    const noisy = Number(stored!.bytes.toString())
    assert.notEqual(noisy, 100.25)
    assert.isBelow(Math.abs(noisy - 100.25), 100)
  })

  for (const [what, content, fields] of [
    ['text', 'a text', { epsilon: '1', sensitivity: '1' }],
    ['nothing', '', { epsilon: '1', sensitivity: '1' }],
    ['an endless number', 'inf', { epsilon: '1', sensitivity: '1' }],
    ['more than a number', '1'.repeat(2_000), { epsilon: '1', sensitivity: '1' }],
    ['a number too large for its noise', '1e17', { epsilon: '1', sensitivity: '1' }],
    ['a number without an epsilon', '1', { sensitivity: '1' }],
    ['a number with an epsilon of 0', '1', { epsilon: '0', sensitivity: '1' }],
    ['a number with a sensitivity below 0', '1', { epsilon: '1', sensitivity: '-1' }],
  ] as const) {
    test(`${what} is refused as a result with noise, and not stored`, async ({
      assert,
      cleanup,
    }) => {
      const { scene, spec } = await running(cleanup)
      const form = formWith(content, fields)
      const { status } = await call(spec, 'PUT', '/storage/final/localdp', form)
      assert.equal(status, 400)
      assert.equal(scene.hub.files.size, 0)
    })
  }
})
