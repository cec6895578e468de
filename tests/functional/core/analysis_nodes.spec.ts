import { test } from '@japa/runner'

import { coreSettings } from '#core/core_settings'
import type { ChangeContent } from '#outbox/entry'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'

import { call, database, person, Scene, set, type Person } from './analysis_scene.js'
import { useSettings } from '#tests/helpers/settings'

test.group('Assigning nodes to analyses', (group) => {
  let scene: Scene
  let analysis: Attributes

  const assign = (node: Attributes, extra: object = {}, by = scene.researcher()) =>
    call(by, 'POST', '/analysis-nodes', { analysisId: analysis.id, nodeId: node.id, ...extra })

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('an assignment keeps the realms of both, and is counted', async ({ assert }) => {
    const { status, body } = await assign(await scene.member(null))
    assert.equal(status, 201)
    assert.containsSubset(body.data, {
      analysisRealmId: scene.realms.project,
      nodeRealmId: scene.realms.node,
      approvalStatus: null,
      executionStatus: null,
    })
    assert.containsSubset(await scene.read(analysis), {
      nodes: 1,
      nodesApproved: 0,
      configurationNodeDefaultValid: true,
      configurationNodeAggregatorValid: false,
      configurationNodesValid: false,
    })
  })

  test('S2: does not set the decision of the node, whatever the body contains', async ({
    assert,
  }) => {
    const { status, body } = await assign(await scene.member(), {
      approvalStatus: 'approved',
      executionStatus: 'executed',
      executionProgress: 100,
      comment: 'granted',
    })
    assert.equal(status, 201)
    assert.containsSubset(body.data, {
      approvalStatus: null,
      executionStatus: null,
      executionProgress: null,
      comment: null,
    })
  })

  test('S3: is for the realm of the analysis', async ({ assert }) => {
    const node = await scene.member()
    assert.equal((await assign(node, {}, scene.stranger())).status, 403)
    assert.equal((await assign(node, {}, scene.steward())).status, 403)
    assert.equal((await assign(node, {}, scene.researcher([]))).status, 403)
    assert.equal((await assign(node, {}, scene.admin())).status, 201)
  })

  test('aggregators approve at once, and all nodes do if approvals are skipped', async ({
    assert,
  }) => {
    const aggregator = await assign(await scene.member('approved', 'aggregator'))
    assert.equal(aggregator.body.data.approvalStatus, 'approved')
    const restore = useSettings(coreSettings, { skipsAnalysisApproval: true })
    const other = await assign(await scene.member())
    restore()
    assert.equal(other.body.data.approvalStatus, 'approved')
    assert.containsSubset(await scene.read(analysis), { nodesApproved: 2, buildNodesValid: true })
  })

  test('a node that is assigned already stays as it is', async ({ assert }) => {
    const node = await scene.member()
    const first = await assign(node)
    await set('analysis_nodes', first.body.data.id, { approval_status: 'approved' })
    const again = await assign(node)
    assert.equal(again.status, 201)
    assert.equal(again.body.data.id, first.body.data.id)
    assert.equal(again.body.data.approvalStatus, 'approved')
    assert.deepEqual(again.body.meta, {})
    assert.equal((await scene.read(analysis)).nodes, 1)
  })

  test('a node that has no part in the project is not found in it', async ({ assert }) => {
    const { status, body } = await assign(await scene.node())
    assert.equal(status, 404)
    assert.include(body.message, 'The project-node was not found')
  })

  test('L9: no node comes to a locked configuration', async ({ assert }) => {
    const node = await scene.member()
    await set('analyses', analysis.id, { configuration_locked: true })
    const { status, body } = await assign(node)
    assert.equal(status, 400)
    assert.equal(body.issues[0].code, 'configuration_locked')
  })

  test('C8: what does not exist is an invalid relation', async ({ assert }) => {
    const { status, body } = await assign({ id: clock.uuid() })
    assert.equal(status, 400)
    assert.equal(body.code, 'entity_relation_invalid')
    assert.deepEqual(body.issues[0].path, ['nodeId'])
  })
})

test.group('Decisions and reports of nodes', (group) => {
  let scene: Scene
  let analysis: Attributes
  let assigned: Attributes

  const report = (body: object, by: Person = scene.steward(), id = assigned.id) =>
    call(by, 'POST', `/analysis-nodes/${id}`, body)

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
    const node = await scene.member()
    assigned = { ...(await scene.assign(analysis, node)), node }
  })

  test('approval and comment come from the realm of the node, and are counted', async ({
    assert,
  }) => {
    const { status, body } = await report({ approvalStatus: 'approved', comment: 'as agreed' })
    assert.equal(status, 202)
    assert.containsSubset(body.data, { approvalStatus: 'approved', comment: 'as agreed' })
    assert.containsSubset(await scene.read(analysis), { nodesApproved: 1, buildNodesValid: true })
    await report({ approvalStatus: 'rejected' })
    assert.containsSubset(await scene.read(analysis), { nodesApproved: 0, buildNodesValid: false })
    assert.equal((await report({ approvalStatus: null })).body.data.approvalStatus, null)
  })

  test('the realm of the analysis may read, but neither decide nor report', async ({ assert }) => {
    assert.equal((await report({}, scene.researcher())).status, 202)
    for (const body of [
      { approvalStatus: 'approved' },
      { comment: 'yes' },
      { executionStatus: 'executed' },
    ]) {
      const { status, body: answer } = await report(body, scene.researcher())
      assert.equal(status, 403, JSON.stringify(body))
      assert.equal(answer.code, 'permission_denied')
    }
  })

  test('S7: only the realm of the node reports the progress of an execution', async ({
    assert,
  }) => {
    const body = { executionProgress: 50 }
    assert.equal((await report(body, scene.researcher())).status, 403)
    assert.equal((await report(body, scene.steward(['analysis_approve']))).status, 403)
    assert.equal((await report(body, scene.steward(['analysis_update']))).status, 202)
  })

  test('C2: what a caller has no authority for is refused with 403', async ({ assert }) => {
    const decide = { approvalStatus: 'approved' }
    const client = scene.clientOf(assigned.node as Attributes)
    for (const [body, by] of [
      [decide, scene.steward(['analysis_update'])],
      [decide, client],
      [{ executionStatus: 'started' }, scene.steward(['analysis_approve'])],
      [{}, scene.stranger()],
      [{}, scene.steward([])],
    ] as const) {
      const { status, body: answer } = await report(body, by)
      assert.equal(status, 403, JSON.stringify(body))
      assert.equal(answer.code, 'permission_denied')
    }
  })

  test('the client of the node reports its progress', async ({ assert }) => {
    const client = scene.clientOf(assigned.node as Attributes)
    const reported = await report({ executionStatus: 'executing', executionProgress: 40 }, client)
    assert.equal(reported.status, 202)
    assert.containsSubset(await scene.read(analysis), {
      executionStatus: 'executing',
      executionProgress: 40,
    })
  })

  test('the client of a node neither reports for nor unassigns another node, even of its own realm', async ({
    assert,
  }) => {
    const neighbour = scene.clientOf(await scene.member())
    for (const body of [
      { executionStatus: 'executed', executionProgress: 100 },
      { executionStatus: null },
      {},
    ]) {
      assert.equal((await report(body, neighbour)).status, 403)
    }
    const removed = await call(neighbour, 'DELETE', `/analysis-nodes/${assigned.id}`)
    assert.equal(removed.status, 403)
    assert.isNull((await scene.read(analysis)).executionStatus)
  })

  test('the analysis is as far as the node that is least far, and failed with the first', async ({
    assert,
  }) => {
    const second = await scene.assign(analysis, await scene.member())
    await scene.assign(analysis, await scene.member())
    await report({ executionStatus: 'executed', executionProgress: 100 })
    assert.containsSubset(await scene.read(analysis), {
      executionStatus: 'executing',
      executionProgress: 33,
    })
    await report({ executionStatus: 'starting', executionProgress: 1 }, scene.steward(), second.id)
    assert.containsSubset(await scene.read(analysis), {
      executionStatus: 'starting',
      executionProgress: 33,
    })
    await report({ executionStatus: 'failed' }, scene.steward(), second.id)
    assert.equal((await scene.read(analysis)).executionStatus, 'failed')
    await report({ executionStatus: null, executionProgress: null }, scene.steward(), second.id)
    assert.equal((await scene.read(analysis)).executionStatus, 'executing')
  })

  test('the analysis is executed when every node that approved has reported it, and no other is waited for', async ({
    assert,
  }) => {
    const [second, third] = [
      await scene.assign(analysis, await scene.member()),
      await scene.assign(analysis, await scene.member()),
    ]
    const done = { executionStatus: 'executed', executionProgress: 100 }
    const shown = async () => {
      const { executionStatus, executionProgress } = await scene.read(analysis)
      return [executionStatus, executionProgress]
    }
    for (const { id } of [assigned, second]) {
      await report({ approvalStatus: 'approved' }, scene.steward(), id)
    }
    assert.deepEqual(await shown(), [null, 0])
    await report(done)
    assert.deepEqual(await shown(), ['executing', 50])
    await report(done, scene.steward(), second.id)
    assert.deepEqual(await shown(), ['executed', 100])
    await report({ approvalStatus: 'approved' }, scene.steward(), third.id)
    assert.deepEqual(await shown(), ['executing', 66])
    await report({ executionStatus: 'failed' }, scene.steward(), third.id)
    assert.equal((await shown())[0], 'failed')
    await report({ approvalStatus: 'rejected' }, scene.steward(), third.id)
    assert.deepEqual(await shown(), ['executed', 100])
  })

  test('the event of a decision has its actor, the old and new value, and never expires', async ({
    assert,
  }) => {
    const by = scene.steward()
    await report({ approvalStatus: 'approved', comment: 'as agreed' }, by)
    const { rows } = await database().query<{ change: ChangeContent }>(
      `select content->'change' as change from outbox where content->'change'->>'id' = $1`,
      [assigned.id]
    )
    const { change } = rows.at(-1)!
    assert.isTrue(change.isLasting)
    assert.deepEqual(change.diff!.approvalStatus, { next: 'approved', previous: null })
    assert.equal(change.doer.actor!.id, by.actor.id)
    assert.equal(change.realmId, scene.realms.project)
    assert.sameMembers([...change.realms], [scene.realms.project, scene.realms.node])
  })

  test('the event of a decision by an operator on behalf of a realm records that', async ({
    assert,
  }) => {
    await report({ approvalStatus: 'approved' }, scene.admin())
    await report({ executionStatus: 'executing' }, scene.admin())
    const { rows } = await database().query<{ diff: ChangeContent['diff'] }>(
      `select content->'change'->'diff' as diff from outbox
       where content->'change'->>'id' = $1 and content->'change'->>'change' = 'updated'
       order by position`,
      [assigned.id]
    )
    assert.deepEqual(
      rows.map(({ diff }) => diff!.onBehalfOf),
      [{ next: scene.realms.node, previous: null }, undefined]
    )
  })

  test('decisions are possible while the configuration is locked', async ({ assert }) => {
    await set('analyses', analysis.id, { configuration_locked: true })
    assert.equal((await report({ approvalStatus: 'approved' })).status, 202)
  })

  test('a missing record is not found', async ({ assert }) => {
    for (const id of [clock.uuid(), 'nothing']) {
      assert.equal((await report({}, scene.admin(), id)).status, 404)
    }
  })
})

test.group('Taking nodes out of analyses', (group) => {
  let scene: Scene
  let analysis: Attributes

  const approvals = async () => {
    const path = `/analysis-nodes?filter[analysisId]=${analysis.id}`
    const { body } = await call(scene.admin(), 'GET', path)
    return body.data.map(({ approvalStatus }: Attributes) => approvalStatus)
  }

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('both realms may, and the analysis updates its counts', async ({ assert }) => {
    const first = await scene.assign(analysis, await scene.member())
    const second = await scene.assign(analysis, await scene.member())
    const remove = (by: Person, { id }: Attributes) => call(by, 'DELETE', `/analysis-nodes/${id}`)
    assert.equal((await remove(scene.stranger(), first)).status, 403)
    assert.equal((await remove(scene.steward([]), first)).status, 403)
    assert.equal((await remove(scene.steward(['analysis_approve']), first)).status, 202)
    assert.equal((await scene.read(analysis)).nodes, 1)
    assert.equal((await remove(scene.researcher(['analysis_update']), second)).status, 202)
    assert.containsSubset(await scene.read(analysis), {
      nodes: 0,
      configurationNodeDefaultValid: false,
      buildNodesValid: false,
    })
  })

  test('L9: approvals of a locked configuration are withdrawn, unless it is built', async ({
    assert,
  }) => {
    const [first, second] = [
      await scene.assign(analysis, await scene.member()),
      await scene.assign(analysis, await scene.member()),
    ]
    const aggregator = await scene.member('approved', 'aggregator')
    await scene.assign(analysis, aggregator)
    const last = await scene.assign(analysis, await scene.member())
    for (const { id } of [first, second, last]) {
      await call(scene.steward(), 'POST', `/analysis-nodes/${id}`, { approvalStatus: 'approved' })
    }
    await set('analyses', analysis.id, { configuration_locked: true, build_status: 'executed' })
    await call(scene.researcher(), 'DELETE', `/analysis-nodes/${last.id}`)
    assert.deepEqual(await approvals(), ['approved', 'approved', 'approved'])
    await set('analyses', analysis.id, { build_status: null })
    await call(scene.researcher(), 'DELETE', `/analysis-nodes/${second.id}`)
    assert.sameMembers(await approvals(), [null, 'approved'])
    assert.containsSubset(await scene.read(analysis), { nodes: 2, nodesApproved: 1 })
  })

  test('L12: an analysis refreshes its summary when a node is deleted or changes its type', async ({
    assert,
  }) => {
    const aggregator = await scene.member('approved', 'aggregator')
    const other = await scene.member()
    await scene.assign(analysis, aggregator)
    await scene.assign(analysis, other)
    const path = `/nodes/${other.id}`
    assert.equal((await call(scene.steward(), 'POST', path, { type: 'aggregator' })).status, 202)
    assert.isFalse((await scene.read(analysis)).configurationNodeDefaultValid)
    const removed = await call(scene.steward(), 'DELETE', `/nodes/${aggregator.id}`)
    assert.equal(removed.status, 202)
    assert.containsSubset(await scene.read(analysis), {
      nodes: 1,
      configurationNodeAggregatorValid: true,
    })
  })

  test('a caller of neither realm cannot', async ({ assert }) => {
    const assigned = await scene.assign(analysis, await scene.member())
    const by = person(scene.realms.foreign, { kind: 'client' })
    assert.equal((await call(by, 'DELETE', `/analysis-nodes/${assigned.id}`)).status, 403)
  })
})
