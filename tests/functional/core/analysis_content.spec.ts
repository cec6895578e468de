import { test } from '@japa/runner'

import { coreSettings } from '#core/core_settings'
import type { Attributes } from '#records/row'

import { call, decided, Scene, set } from './analysis_scene.js'
import { useSettings } from '#tests/helpers/settings'

test.group('What an analysis consists of', (group) => {
  let scene: Scene
  let analysis: Attributes

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  const content = async () => {
    const { status, body } = await call(
      scene.researcher(),
      'GET',
      `/analyses/${analysis.id}/content`
    )
    return { status, ...body.data }
  }
  const agreeing = async (): Promise<string[]> =>
    (await content()).nodes
      .filter(({ agrees }: Attributes) => agrees)
      .map(({ nodeId }: Attributes) => nodeId)

  test('the content has a digest, which changes with it, and which nodes agree to', async ({
    assert,
  }) => {
    const code = await scene.bucket(analysis)
    await scene.file(code)
    const approved = await scene.assigned(analysis, 'approved')
    const undecided = await scene.assigned(analysis)
    const before = await content()
    assert.match(before.digest, /^[\da-f]{64}$/)
    assert.sameMembers(
      before.nodes.map(({ nodeId }: Attributes) => nodeId),
      [approved.node, undecided.node].map((node) => (node as Attributes).id)
    )
    assert.deepEqual(await agreeing(), [(approved.node as Attributes).id])
    await scene.file(code)
    assert.notEqual((await content()).digest, before.digest)
    assert.isEmpty(await agreeing())
    await decided(approved.id, 'approved')
    assert.lengthOf(await agreeing(), 1)
  })

  test('an aggregator agrees to everything, a node that is not in the project to nothing', async ({
    assert,
  }) => {
    const first = await scene.assigned(analysis, 'approved')
    const second = await scene.assigned(analysis, 'approved')
    const aggregator = await scene.assigned(analysis, 'approved')
    const idOf = ({ node }: Attributes) => (node as Attributes).id
    await set('nodes', idOf(aggregator), { type: 'aggregator' })
    await set('analysis_nodes', aggregator.id, { approved_digest: null })
    const { body } = await call(
      scene.researcher(),
      'GET',
      `/project-nodes?filter[nodeId]=${idOf(second)}`
    )
    await set('project_nodes', body.data[0].id, { approval_status: 'rejected' })
    assert.sameMembers(await agreeing(), [idOf(first), idOf(aggregator)])
  })

  test('without approvals, all nodes agree that did not reject', async ({ assert, cleanup }) => {
    await scene.assigned(analysis)
    const against = await scene.assigned(analysis, 'rejected')
    cleanup(useSettings(coreSettings, { skipsAnalysisApproval: true, skipsProjectApproval: true }))
    const ids = await agreeing()
    assert.lengthOf(ids, 1)
    assert.isFalse(ids.some((id) => id === (against.node as Attributes).id))
  })

  test('an analysis that is not there consists of nothing', async ({ assert }) => {
    analysis = { ...analysis, id: '00000000-0000-4000-8000-000000000000' }
    assert.equal((await content()).status, 404)
  })
})
