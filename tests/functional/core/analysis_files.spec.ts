import { test } from '@japa/runner'

import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'

import { call, person, Scene, set, type Person } from './analysis_scene.js'

test.group('Buckets of analyses', (group) => {
  let scene: Scene
  let analysis: Attributes

  const create = (body: object = {}, by = scene.researcher()) =>
    call(by, 'POST', '/analysis-buckets', {
      analysisId: analysis.id,
      bucketId: clock.uuid(),
      type: 'CODE',
      ...body,
    })

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
  })

  test('S5: are written by who may change the analysis, in its realm', async ({ assert }) => {
    assert.equal((await create({}, scene.stranger())).status, 403)
    assert.equal((await create({}, scene.researcher(['analysis_create']))).status, 403)
    const { status, body } = await create()
    assert.equal(status, 201)
    assert.equal(body.data.realmId, scene.realms.project)
    const path = `/analysis-buckets/${body.data.id}`
    for (const by of [scene.stranger(), scene.researcher([])]) {
      assert.equal((await call(by, 'POST', path, {})).status, 403)
      assert.equal((await call(by, 'DELETE', path)).status, 403)
    }
    assert.equal((await call(scene.researcher(), 'DELETE', path)).status, 202)
  })

  test('there may be several for a purpose, and each of them once', async ({ assert }) => {
    const { status, body } = await create()
    assert.equal(status, 201)
    assert.equal((await create()).status, 201)
    const again = await create({ bucketId: body.data.bucketId, type: 'RESULT' })
    assert.equal(again.status, 409)
    assert.equal(again.body.code, 'entity_conflict')
  })

  test('nothing of them changes', async ({ assert }) => {
    const { body } = await create()
    const other = { type: 'TEMP', bucketId: clock.uuid(), analysisId: clock.uuid() }
    const changed = await call(
      scene.researcher(),
      'POST',
      `/analysis-buckets/${body.data.id}`,
      other
    )
    assert.equal(changed.status, 202)
    assert.containsSubset(changed.body.data, {
      type: 'CODE',
      bucketId: body.data.bucketId,
      analysisId: analysis.id,
    })
  })

  test('the entry point is removed with its bucket', async ({ assert }) => {
    const bucket = await scene.bucket(analysis)
    await scene.file(bucket, { root: true })
    await set('analyses', analysis.id, { configuration_entrypoint_valid: true })
    await call(scene.researcher(), 'DELETE', `/analysis-buckets/${bucket.id}`)
    assert.isFalse((await scene.read(analysis)).configurationEntrypointValid)
  })
})

test.group('Files of analyses', (group) => {
  let scene: Scene
  let analysis: Attributes
  let bucket: Attributes

  const create = (body: object = {}, by: Person = scene.researcher()) =>
    call(by, 'POST', '/analysis-bucket-files', {
      analysisBucketId: bucket.id,
      bucketId: bucket.bucketId,
      bucketFileId: clock.uuid(),
      path: `file-${clock.uuid()}.py`,
      ...body,
    })

  const change = (id: unknown, body: object, by: Person = scene.researcher()) =>
    call(by, 'POST', `/analysis-bucket-files/${id}`, body)

  const remove = (id: unknown, by: Person = scene.researcher()) =>
    call(by, 'DELETE', `/analysis-bucket-files/${id}`)

  const roots = async () => {
    const path = `/analysis-bucket-files?filter[analysisId]=${analysis.id}`
    const { body } = await call(scene.researcher(), 'GET', path)
    return body.data.filter(({ root }: Attributes) => root).map(({ id }: Attributes) => id)
  }

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
    bucket = await scene.bucket(analysis)
  })

  test('files store their creator, and belong to the analysis and its realm', async ({
    assert,
  }) => {
    for (const [kind, column] of [
      ['user', 'userId'],
      ['client', 'clientId'],
      ['robot', 'robotId'],
    ] as const) {
      const by = person(scene.realms.foreign, { kind, realmName: 'master' })
      const { status, body } = await create({}, by)
      assert.equal(status, 201)
      assert.equal(body.data[column], by.actor.id)
      assert.equal(body.data.analysisId, analysis.id)
      assert.equal(body.data.realmId, scene.realms.project)
      assert.isFalse(body.data.root)
    }
  })

  test('S5: are written by who may change the analysis, and by nodes that take part', async ({
    assert,
  }) => {
    // A change of the code withdraws every approval, including that of the caller; results change nothing.
    bucket = await scene.bucket(analysis, 'RESULT')
    const undecided = await scene.assigned(analysis)
    const agreed = await scene.assigned(analysis, 'approved')
    const clientOf = ({ node }: Attributes) =>
      person(scene.realms.node, {
        kind: 'client',
        id: (node as Attributes).clientId as string,
        permissions: [],
      })
    for (const [by, status] of [
      [scene.stranger(), 403],
      [scene.researcher(['analysis_create']), 403],
      [scene.steward(), 403],
      [clientOf(undecided), 403],
      [clientOf(agreed), 201],
      [scene.researcher(['analysis_update']), 201],
      [scene.admin(), 201],
    ] as const) {
      assert.equal((await create({}, by)).status, status)
    }
    const { id } = await scene.file(bucket)
    assert.equal((await change(id, { path: 'a' }, scene.stranger())).status, 403)
    assert.equal((await change(id, { path: 'a' }, clientOf(undecided))).status, 403)
    assert.equal((await change(id, { path: 'b' }, clientOf(agreed))).status, 202)
    assert.equal((await remove(id, scene.steward())).status, 403)
    assert.equal((await remove(id, clientOf(agreed))).status, 202)
  })

  test('the same file of the storage is entered once', async ({ assert }) => {
    const bucketFileId = clock.uuid()
    const first = await create({ bucketFileId, path: 'main.py' })
    const again = await create({ bucketFileId, path: 'other.py' })
    assert.equal(again.status, 201)
    assert.equal(again.body.data.id, first.body.data.id)
    assert.equal(again.body.data.path, 'main.py')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create({ bucketFileId: bucket.id as string }))
    )
    assert.isTrue(answers.every(({ status }) => status === 201))
    assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1)
  })

  test('a path exists once in a bucket', async ({ assert }) => {
    assert.equal((await create({ path: 'main.py' })).status, 201)
    const again = await create({ path: 'main.py' })
    assert.equal(again.status, 409)
    assert.equal(again.body.code, 'entity_conflict')
    const results = await scene.bucket(analysis, 'RESULT')
    const elsewhere = { analysisBucketId: results.id, bucketId: results.bucketId, path: 'main.py' }
    assert.equal((await create(elsewhere)).status, 201)
  })

  test('the bucket of the storage has to be that of the analysis', async ({ assert }) => {
    const { status, body } = await create({ bucketId: clock.uuid() })
    assert.equal(status, 400)
    assert.deepEqual(body.issues[0].path, ['bucketId'])
  })

  test('C5: a path that does not fit is refused with 400', async ({ assert }) => {
    const { status, body } = await create({ path: 'a'.repeat(257) })
    assert.equal(status, 400)
    assert.equal(body.issues[0].code, 'max_length')
  })

  test('L13: the file that was last marked as root is the entry point', async ({ assert }) => {
    const first = await create({ root: true })
    assert.isTrue((await scene.read(analysis)).configurationEntrypointValid)
    const second = await create({ root: true })
    assert.deepEqual(await roots(), [second.body.data.id])
    await change(first.body.data.id, { root: true })
    assert.deepEqual(await roots(), [first.body.data.id])
    assert.isTrue((await scene.read(analysis)).configurationEntrypointValid)
    await change(first.body.data.id, { root: false })
    assert.isFalse((await scene.read(analysis)).configurationEntrypointValid)
    await change(first.body.data.id, { root: true })
    await remove(first.body.data.id)
    assert.isFalse((await scene.read(analysis)).configurationEntrypointValid)
  })

  test('a root file among results is not an entry point', async ({ assert }) => {
    const results = await scene.bucket(analysis, 'RESULT')
    const body = { analysisBucketId: results.id, bucketId: results.bucketId, root: true }
    assert.equal((await create(body)).status, 201)
    assert.isFalse((await scene.read(analysis)).configurationEntrypointValid)
  })

  test('L9: code stays as it is while the configuration is locked, results come in', async ({
    assert,
  }) => {
    const { id } = await scene.file(bucket)
    const known = (await create()).body.data
    const results = await scene.bucket(analysis, 'RESULT')
    await set('analyses', analysis.id, { configuration_locked: true })
    for (const { status, body } of [
      await create(),
      await change(id, { path: 'x' }),
      await change(id, { root: true }),
    ]) {
      assert.equal(status, 400)
      assert.equal(body.issues[0].code, 'configuration_locked')
    }
    assert.equal((await change(id, {})).status, 202)
    assert.equal((await create({ bucketFileId: known.bucketFileId })).status, 201)
    const result = await create({ analysisBucketId: results.id, bucketId: results.bucketId })
    assert.equal(result.status, 201)
    assert.equal((await change(result.body.data.id, { path: 'y' })).status, 202)
  })

  test('L9: approvals of a locked configuration are withdrawn when code is deleted', async ({
    assert,
  }) => {
    const approved = await scene.assigned(analysis, 'approved')
    const code = await scene.file(bucket, { root: true })
    const result = await scene.file(await scene.bucket(analysis, 'RESULT'))
    await set('analyses', analysis.id, {
      configuration_locked: true,
      configuration_entrypoint_valid: true,
      nodes: 1,
      nodes_approved: 1,
    })
    assert.equal((await remove(result.id)).status, 202)
    assert.containsSubset(await scene.read(analysis), { nodesApproved: 1 })
    assert.equal((await remove(code.id)).status, 202)
    assert.containsSubset(await scene.read(analysis), {
      nodesApproved: 0,
      configurationEntrypointValid: false,
    })
    const { body } = await call(scene.admin(), 'GET', `/analysis-nodes/${approved.id}`)
    assert.isNull(body.data.approvalStatus)
  })

  test('a missing record is not found', async ({ assert }) => {
    for (const id of [clock.uuid(), 'nothing']) {
      assert.equal((await change(id, {})).status, 404)
      assert.equal((await remove(id)).status, 404)
    }
  })
})
