import { test } from '@japa/runner'

import type { Attributes } from '#records/row'
import { eventually } from '#tests/helpers/eventually'
import { identity } from '#tests/helpers/identities'

import { call, Scene, set, type Person } from './analysis_scene.js'
import { startCommands } from './registry_scene.js'

test.group('The timeline of an analysis', (group) => {
  let scene: Scene
  let analysis: Attributes

  group.setup(startCommands)
  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  const page = (cursor?: string, by = scene.researcher()) => {
    const query = cursor === undefined ? '' : `?cursor=${cursor}`
    return call(by, 'GET', `/analyses/${analysis.id}/timeline${query}`)
  }
  const withSource = (wanted: string, by?: Person) =>
    eventually(async () => {
      const { body } = await page(undefined, by)
      const found = body.data.filter(({ source }: Attributes) => source === wanted)
      return found.length > 0 && found
    })

  test('the timeline has events, states, approvals and logs, the newest first', async ({
    assert,
  }) => {
    const assigned = await scene.assigned(analysis)
    await call(scene.steward(), 'POST', `/analysis-nodes/${assigned.id}`, {
      approvalStatus: 'approved',
    })
    await set('analyses', analysis.id, { build_status: 'starting' })
    const line = { analysisId: analysis.id, nodeId: assigned.nodeId, message: 'half way' }
    assert.equal((await call(scene.steward(), 'POST', '/analysis-node-logs', line)).status, 202)

    const created = await eventually(async () => {
      const events = await withSource('event')
      return events.find(({ name }: Attributes) => name === 'created')
    })
    assert.equal(created.actor.type, 'user')
    assert.equal(created.reportedBy.type, 'bus')
    const [log] = await withSource('log')
    assert.containSubset(log, { name: 'info', message: 'half way', node: assigned.nodeId })
    const { status, body } = await page()
    assert.equal(status, 200)
    assert.isNull(body.meta.next)
    const named = (source: string, name: string) =>
      body.data.find((entry: Attributes) => entry.source === source && entry.name === name)
    assert.containSubset(named('approval', 'approvalStatus'), {
      node: assigned.nodeId,
      data: { value: 'approved' },
    })
    assert.deepEqual(named('status', 'buildStatus').data, { value: 'starting' })
    const times = body.data.map(({ time }: Attributes) => time)
    assert.deepEqual(times, times.toSorted().toReversed())
  })

  test('pages neither repeat nor miss anything, whatever comes in meanwhile', async ({
    assert,
  }) => {
    const assigned = await scene.assigned(analysis)
    for (let n = 0; n < 70; n++) {
      await set('analyses', analysis.id, { build_status: n % 2 === 0 ? 'starting' : 'failed' })
      const line = { analysisId: analysis.id, nodeId: assigned.nodeId, message: `line ${n}` }
      await call(scene.steward(), 'POST', '/analysis-node-logs', line)
    }
    await withSource('log')
    const seen: Attributes[] = []
    let cursor: string | undefined
    do {
      const { body } = await page(cursor)
      seen.push(...body.data)
      cursor = body.meta.next ?? undefined
      await set('analyses', analysis.id, { distribution_status: `${seen.length}` })
    } while (cursor)
    const lines = seen.filter(({ source }) => source === 'log').map(({ message }) => message)
    assert.deepEqual(
      lines,
      Array.from({ length: 70 }, (_, n) => `line ${69 - n}`)
    )
    const states = seen.filter(({ name }) => name === 'buildStatus')
    assert.lengthOf(states, 70)
  })

  test('the timeline shows logs to those only who may read them', async ({ assert }) => {
    const assigned = await scene.assigned(analysis)
    const line = { analysisId: analysis.id, nodeId: assigned.nodeId, message: 'not for all' }
    await call(scene.steward(), 'POST', '/analysis-node-logs', line)
    await withSource('log')
    for (const by of [scene.stranger(), scene.researcher(['analysis_create'])]) {
      const { status, body } = await page(undefined, by)
      assert.equal(status, 200)
      assert.isFalse(body.data.some(({ source }: Attributes) => source === 'log'))
    }
  })

  test('the timeline shows who did what to those only who may read events in the realm of the analysis', async ({
    assert,
  }) => {
    await withSource('event')
    const whole = (await page()).body.data
    const seen = async (by: Person) => {
      const { status, body } = await page(undefined, by)
      assert.equal(status, 200)
      return body.data.filter(({ source }: Attributes) => source === 'event')
    }
    const events = whole.filter(({ source }: Attributes) => source === 'event')
    assert.isDefined(events[0].actor)
    const parts = events.map(({ time, source, name }: Attributes) => ({ time, source, name }))
    assert.deepEqual(await seen(scene.stranger()), parts)
    assert.deepEqual(await seen(scene.researcher(['analysis_create'])), parts)
    assert.deepEqual(await seen(scene.researcher(['event_read'])), events)
    assert.deepEqual(await seen(identity({ permissions: ['event_read'] })), events)
  })

  test('a cursor that no page ended with is refused', async ({ assert }) => {
    const written = (...parts: unknown[]) =>
      Buffer.from(JSON.stringify(parts)).toString('base64url')
    const far = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']
    const cursors = [written('2020-01-01', 1), ...far.map((time) => written(time, 0, 0, 0, 0))]
    for (const cursor of ['x', 'W10', ...cursors]) {
      const { status, body } = await page(cursor)
      assert.equal(status, 400)
      assert.deepEqual(body.issues[0].path, ['cursor'])
    }
  })
})
