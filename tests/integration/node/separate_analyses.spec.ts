import { test } from '@japa/runner'

import { eventually } from '#tests/helpers/eventually'
import { NodeScene } from '#tests/helpers/node/node_scene'

const WITHIN_MS = 60_000

test.group('Analyses of a node that fail', (group) => {
  group.each.timeout(120_000)

  const isRunning = (scene: NodeScene, analysisId: string) =>
    eventually(() => scene.containers.running.has(analysisId), WITHIN_MS)

  test('an analysis that the hub refuses to start does not keep the others from starting', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const refused = await scene.distribute()
    const unreadable = await scene.distribute()
    const other = await scene.distribute()
    scene.hub.fault = ({ path }, response) => {
      if (path === `/core/projects/${refused.analysis.projectId}`) {
        return response.writeHead(403).end('{"message":"Not this one"}')
      }
      if (path === `/core/projects/${unreadable.analysis.projectId}`) {
        return response.writeHead(200).end('<html>')
      }
      return undefined
    }
    await scene.start()
    await isRunning(scene, other.analysisId)

    assert.isFalse(scene.containers.running.has(refused.analysisId))
    assert.include(scene.lines, `${refused.analysis.name}: Not this one`)
    assert.isTrue(scene.lines.some((line) => line.includes('sent something else than JSON')))
    scene.hub.fault = () => undefined
    await isRunning(scene, refused.analysisId)
    await isRunning(scene, unreadable.analysisId)
    assert.lengthOf(
      scene.lines.filter((line) => line.includes('Not this one')),
      1
    )
  })

  test('an analysis that cannot be checked does not keep another from its end', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    const running = await scene.distribute()
    const other = await scene.distribute()
    await scene.start()
    await isRunning(scene, running.analysisId)
    await isRunning(scene, other.analysisId)
    scene.hub.fault = ({ query }, response) =>
      query.get('filter[analysisId]') === running.analysisId
        ? response.writeHead(400).end('{"message":"No"}')
        : undefined
    Object.assign(other, { approvalStatus: 'rejected' })

    await eventually(() => !scene.containers.running.has(other.analysisId), WITHIN_MS)
    assert.isTrue(scene.containers.running.has(running.analysisId))
  })

  test('an analysis that never answers does not delay the end of another', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    scene.containers.onStart = ({ silent }) => silent.add('/partner_status')
    const silent = await scene.distribute()
    const other = await scene.distribute()
    await scene.start()
    await isRunning(scene, silent.analysisId)
    await isRunning(scene, other.analysisId)
    const { analysis } = scene.containers.running.get(silent.analysisId)!
    const partner = scene.hub.assignments.find(
      ({ analysisId, nodeId }) => analysisId === silent.analysisId && nodeId === scene.partner.id
    )
    Object.assign(partner!, { executionStatus: 'executing' })
    await eventually(() => analysis.requests > 0, WITHIN_MS)
    Object.assign(other, { approvalStatus: 'rejected' })
    await eventually(() => !scene.containers.running.has(other.analysisId), WITHIN_MS)

    assert.equal(analysis.abandoned, 0)
    await eventually(
      () => scene.hub.logs.some(({ message }) => message === 'The approval was withdrawn'),
      WITHIN_MS
    )
  })

  test('an analysis that answers without an end is ended when its approval is withdrawn', async ({
    assert,
    cleanup,
  }) => {
    const scene = await NodeScene.set(cleanup)
    scene.containers.onStart = ({ endless }) => endless.add('/healthz')
    const assignment = await scene.distribute()
    await scene.start()
    await isRunning(scene, assignment.analysisId)
    const { analysis } = scene.containers.running.get(assignment.analysisId)!
    await eventually(() => analysis.requests === 1, WITHIN_MS)
    Object.assign(assignment, { approvalStatus: 'rejected' })

    await eventually(() => scene.containers.running.size === 0, WITHIN_MS)
    assert.equal(analysis.requests, 1)
  })
})
