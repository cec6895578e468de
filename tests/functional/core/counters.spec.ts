import { test } from '@japa/runner'

import type { Attributes } from '#records/row'

import { call, database, Scene, set } from './analysis_scene.js'

const WRITERS = 32

test.group('Counters under concurrent writers', (group) => {
  let scene: Scene

  group.each.setup(async () => {
    scene = await Scene.set()
  })

  const together = <T>(work: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: WRITERS }, (_, index) => work(index)))

  const projectNow = async () =>
    (await database().query('select analyses from projects where id = $1', [scene.project.id]))
      .rows[0]

  test('L14: a project counts the analyses that were created and deleted at once', async ({
    assert,
  }) => {
    const existing = await Promise.all(Array.from({ length: 8 }, () => scene.analysis()))
    const by = scene.researcher()
    await together(async (index) => {
      const made = await scene.analysis()
      if (index % 2 === 0) {
        await call(by, 'DELETE', `/analyses/${made.id}`)
      }
      if (index < existing.length) {
        await call(by, 'DELETE', `/analyses/${existing[index]!.id}`)
      }
    })
    assert.equal((await projectNow()).analyses, WRITERS / 2)
  }).timeout(60_000)

  test('L25: an analysis counts nodes that are assigned, unassigned and decide concurrently', async ({
    assert,
  }) => {
    const analysis = await scene.analysis()
    const members = await together(() => scene.member(null))
    const statuses = await together(async (index) => {
      const { id } = await scene.assign(analysis, members[index]!)
      const decided = await call(scene.steward(), 'POST', `/analysis-nodes/${id}`, {
        approvalStatus: index % 4 === 3 ? 'rejected' : 'approved',
        executionStatus: index === 9 ? 'starting' : 'executed',
        executionProgress: 50,
      })
      const removed =
        index % 4 === 0 && (await call(scene.steward(), 'DELETE', `/analysis-nodes/${id}`))
      return [decided.status, removed ? removed.status : 202]
    })
    assert.deepEqual(
      statuses.flat().filter((status) => status !== 202),
      []
    )
    assert.containsSubset(await scene.read(analysis), {
      nodes: 24,
      nodesApproved: 16,
      executionStatus: 'starting',
      executionProgress: 50,
      buildNodesValid: false,
    })
  }).timeout(60_000)

  test('the same node is assigned once by concurrent requests', async ({ assert }) => {
    const analysis = await scene.analysis()
    const member = await scene.member()
    const answers = await together(() => scene.assign(analysis, member))
    assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
    assert.equal((await scene.read(analysis)).nodes, 1)
  }).timeout(60_000)

  test('one file is the root after concurrent requests', async ({ assert }) => {
    const analysis = await scene.analysis()
    const bucket = await scene.bucket(analysis)
    const files = await together(() => scene.file(bucket))
    await together(async (index) => {
      const path = `/analysis-bucket-files/${files[index]!.id}`
      await call(scene.researcher(), 'POST', path, { root: true })
    })
    const { rows } = await database().query<Attributes>(
      'select id from analysis_bucket_files where analysis_bucket_id = $1 and root',
      [bucket.id]
    )
    assert.lengthOf(rows, 1)
  }).timeout(60_000)

  test('concurrent deletions of analyses, nodes and assignments do not deadlock', async ({
    assert,
  }) => {
    const analyses = await Promise.all(Array.from({ length: 8 }, () => scene.analysis()))
    const members = await Promise.all(Array.from({ length: 4 }, () => scene.member()))
    const statuses = await together(async (index) => {
      const analysis = analyses[index % 8]!
      const body = { analysisId: analysis.id, nodeId: members[index % 4]!.id }
      const assigned = await call(scene.researcher(), 'POST', '/analysis-nodes', body)
      const reported = await call(
        scene.steward(),
        'POST',
        `/analysis-nodes/${assigned.body.data?.id ?? analysis.id}`,
        { approvalStatus: 'approved' }
      )
      const deleted = await Promise.all([
        call(scene.researcher(), 'DELETE', `/analyses/${analysis.id}`),
        call(scene.steward(), 'DELETE', `/nodes/${members[index % 4]!.id}`),
      ])
      return [assigned.status, reported.status, ...deleted.map(({ status }) => status)]
    })
    const others = statuses.flat().filter((status) => ![201, 202, 400, 404].includes(status))
    assert.deepEqual(others, [])
    assert.equal((await projectNow()).analyses, 0)
    await set('projects', scene.project.id, { nodes: 0 })
  }).timeout(60_000)
})
