import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import type { Attributes } from '#records/row'

import { call, database, Scene, set } from './analysis_scene.js'

test.group('Why an analysis is not further', (group) => {
  let scene: Scene
  let analysis: Attributes

  const explain = async (by = scene.researcher()) => {
    const { status, body } = await call(by, 'GET', `/analyses/${analysis.id}/explain`)
    return { status, ...body.data }
  }
  const log = async (node: any, line: object) => {
    const body = { analysisId: analysis.id, nodeId: node.id, ...line }
    const { status } = await call(scene.clientOf(node), 'POST', '/analysis-node-logs', body)
    if (status !== 202) {
      throw new Error(`The line was answered with ${status}`)
    }
  }
  const conditionIn = ({ conditions }: { conditions: any[] }, wanted: string) =>
    conditions.find(({ code }) => code === wanted)

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('the explanation starts with the configuration phase, since the creation', async ({
    assert,
  }) => {
    await set('analyses', analysis.id, { master_image_id: null, configuration_image_valid: false })
    const { status, phase, ready, conditions } = await explain()
    assert.equal(status, 200)
    assert.equal(phase, 'configuration')
    assert.isFalse(ready)
    assert.deepEqual(
      conditions.map(({ code, holds }: any) => [code, holds]),
      [
        ['build_initialized', true],
        ['default_node_required', false],
        ['aggregator_node_required', false],
        ['entrypoint_required', false],
        ['image_required', false],
      ]
    )
    const missing = conditionIn({ conditions }, 'default_node_required')
    assert.equal(missing.since, analysis.createdAt)
    assert.deepEqual(missing.who, [{ type: 'realm', realmId: analysis.realmId }])
    assert.equal(missing.action.path, '/analysis-nodes')
  })

  test('the explanation names the nodes that have not decided, and the request by which they would', async ({
    assert,
  }) => {
    const assigned = await scene.assigned(analysis)
    await set('analyses', analysis.id, { configuration_locked: true })
    const explained = await explain()
    assert.equal(explained.phase, 'build')
    const missing = conditionIn(explained, 'nodes_approval_required')
    assert.isFalse(missing.holds)
    assert.deepEqual(missing.who, [
      { type: 'node', nodeId: assigned.nodeId, realmId: assigned.nodeRealmId },
    ])
    assert.deepEqual(missing.action, {
      method: 'POST',
      path: `/analysis-nodes/${assigned.id}`,
      body: { approvalStatus: 'approved' },
    })
    const { method, path, body } = missing.action
    assert.equal((await call(scene.steward(), method, path, body)).status, 202)
    const { rows } = await database().query<{ at: Date }>(
      `select changed_at as at from status_history where subject_id = $1 and name = 'approval_status'
       order by position desc`,
      [assigned.id]
    )
    const condition = conditionIn(await explain(), 'nodes_approval_required')
    assert.isTrue(condition.holds)
    assert.equal(condition.since, rows[0]!.at.toISOString())
    assert.isNull(condition.action)
  })

  test('the explanation leads through distribution and execution to the end', async ({
    assert,
  }) => {
    const assigned = await scene.assigned(analysis, 'approved')
    await set('analyses', analysis.id, { configuration_locked: true, build_status: 'executed' })
    await set('nodes', assigned.nodeId, { registry_id: null })
    const distribution = await explain()
    assert.equal(distribution.phase, 'distribution')
    assert.deepEqual(conditionIn(distribution, 'node_registry_unassigned').action, {
      method: 'POST',
      path: `/nodes/${assigned.nodeId}`,
      body: { registryId: null },
    })
    await set('analyses', analysis.id, { distribution_status: 'executed' })
    const execution = await explain()
    assert.equal(execution.phase, 'execution')
    assert.isFalse(conditionIn(execution, 'execution_not_finished').holds)
    await set('analyses', analysis.id, { execution_status: 'executed' })
    assert.deepEqual(await explain(), {
      status: 200,
      phase: 'finished',
      ready: true,
      conditions: [],
    })
  })

  test('the explanation shows the execution at each node, its last message, and since when one is offline', async ({
    assert,
  }) => {
    const running = await scene.assigned(analysis, 'approved')
    const away: any = await scene.assigned(analysis, 'approved')
    const waiting = await scene.assigned(analysis)
    await set('analyses', analysis.id, {
      configuration_locked: true,
      build_status: 'executed',
      distribution_status: 'executed',
    })
    await set('analysis_nodes', running.id, {
      execution_status: 'executing',
      execution_progress: 30,
    })
    await set('analysis_nodes', away.id, { execution_status: 'failed' })
    await log(running.node, { message: 'Round 3 of 10' })
    const outputLine = (message: string) => ({ message, code: 'output', level: 'error' })
    await log(away.node, outputLine('of an earlier run'))
    await log(away.node, { message: 'The program ended with code 3', code: 'failed' })
    await log(away.node, outputLine('File "main.py", line 14'))
    await log(away.node, outputLine('ValueError: no rows'))
    await log(away.node, { message: 'Ended: failed', code: 'end' })
    const seenAt = new Date(clock.now() - 10 * 60_000).toISOString()
    await database().query('update node_sightings set seen_at = $2 where client_id = $1', [
      away.node.clientId,
      seenAt,
    ])
    await set('nodes', away.node.id, { online: false })

    const { nodes } = conditionIn(await explain(), 'execution_not_finished')
    const shownAt = ({ nodeId }: Attributes) => {
      const { since, ...shown } = nodes.find((one: any) => one.nodeId === nodeId)
      return { ...shown, isSince: !Number.isNaN(Date.parse(since)) }
    }
    assert.deepEqual(shownAt(running), {
      nodeId: running.nodeId,
      approved: true,
      status: 'executing',
      progress: 30,
      awaySince: null,
      message: 'Round 3 of 10',
      isSince: true,
    })
    assert.deepInclude(shownAt(away), {
      status: 'failed',
      awaySince: seenAt,
      message: 'ValueError: no rows',
      output: ['File "main.py", line 14', 'ValueError: no rows'],
    })
    assert.deepInclude(shownAt(waiting), { approved: false, status: null, awaySince: null })
    const toStrangers = conditionIn(await explain(scene.stranger()), 'execution_not_finished')
    assert.isTrue(
      toStrangers.nodes.every(
        ({ message, output }: any) => message === undefined && output === undefined
      )
    )
  })

  test('the history of a record is deleted with it', async ({ assert }) => {
    await set('analyses', analysis.id, { build_status: 'failed' })
    await call(scene.researcher(), 'DELETE', `/analyses/${analysis.id}`)
    const { rowCount } = await database().query(
      'select 1 from status_history where subject_id = $1',
      [analysis.id]
    )
    assert.equal(rowCount, 0)
  })

  test('the explanation is returned to everybody who may read the analysis', async ({ assert }) => {
    assert.equal((await explain(scene.stranger())).status, 200)
    const { status } = await call(scene.researcher(), 'GET', '/analyses/x/explain')
    assert.equal(status, 404)
  })
})
