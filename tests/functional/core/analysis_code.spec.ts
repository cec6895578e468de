import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { call, Scene } from './analysis_scene.js'

test.group('The code of an analysis', (group) => {
  let scene: Scene

  group.each.setup(async () => {
    scene = await Scene.set()
  })

  const codeOf = (id: unknown, by = scene.researcher()) => call(by, 'GET', `/analyses/${id}/code`)

  test('comes at once, by path, with what it starts with', async ({ assert }) => {
    const analysis = await scene.analysis()
    const code = await scene.bucket(analysis)
    const results = await scene.bucket(analysis, 'RESULT')
    await scene.file(results, { path: 'result.csv' })
    const names = Array.from({ length: 60 }, (_, n) => `part-${String(n).padStart(2, '0')}.py`)
    const files = await Promise.all(
      names.map((path, n) => scene.file(code, { path, root: n === 7 }))
    )
    const { status, body } = await codeOf(analysis.id)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      data: {
        bucketId: code.bucketId,
        total: 60,
        files: files.map(({ bucketFileId, path, root }) => ({ bucketFileId, path, root })),
      },
      meta: {},
    })
  })

  test('of a bucket without files is empty', async ({ assert }) => {
    const analysis = await scene.analysis()
    const { bucketId } = await scene.bucket(analysis)
    const { body } = await codeOf(analysis.id)
    assert.deepEqual(body.data, { bucketId, total: 0, files: [] })
  })

  test('is not there before its bucket, and not without an analysis', async ({ assert }) => {
    const { id } = await scene.analysis()
    assert.deepInclude((await codeOf(id)).body, { statusCode: 404, code: 'entity_not_found' })
    assert.equal((await codeOf(clock.uuid())).status, 404)
  })
})
