import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { call, database, Scene, set } from './analysis_scene.js'

test.group('The code of an analysis', (group) => {
  let scene: Scene

  group.each.setup(async () => {
    scene = await Scene.set()
  })

  const digestOf = async (id: unknown) =>
    (await call(scene.researcher(), 'GET', `/analyses/${id}/content`)).body.data.digest
  const codeOf = (id: unknown, by = scene.researcher()) => call(by, 'GET', `/analyses/${id}/code`)

  test('the code comes at once, by path, with what it starts with', async ({ assert }) => {
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
    const { bucketId, total, files: listed } = body.data
    assert.deepEqual({ bucketId, total }, { bucketId: code.bucketId, total: 60 })
    assert.deepEqual(
      listed,
      files.map(({ bucketFileId, bucketId: of, path, root }) => ({
        bucketFileId,
        bucketId: of,
        path,
        root,
      }))
    )
  })

  test('the code is that of all its buckets with code, of which the platform made the one that is named', async ({
    assert,
  }) => {
    const analysis = await scene.analysis()
    const add = async (type: string, bucketId = clock.uuid()) =>
      call(scene.researcher(), 'POST', '/analysis-buckets', {
        analysisId: analysis.id,
        bucketId,
        type,
      })
    const added = await add('CODE')
    assert.equal(added.status, 201)
    const builtIn = await scene.bucket(analysis)
    assert.equal((await add('RESULT')).status, 201)
    assert.equal((await add('RESULT')).status, 201)
    const again = await add('TEMP', added.body.data.bucketId)
    assert.equal(again.status, 409)
    assert.deepEqual(again.body.issues[0].path, ['bucketId', 'analysisId'])
    const before = await digestOf(analysis.id)
    const root = await scene.file(builtIn, { path: 'main.py', root: true })
    const addFile = (path: string) =>
      call(scene.researcher(), 'POST', '/analysis-bucket-files', {
        analysisBucketId: added.body.data.id,
        bucketId: added.body.data.bucketId,
        bucketFileId: clock.uuid(),
        path,
        root: true,
      })
    assert.equal((await addFile('other.py')).status, 201)
    const { body } = await codeOf(analysis.id)
    assert.notEqual(body.data.digest, before)
    assert.equal(body.data.bucketId, builtIn.bucketId)
    assert.equal(body.data.total, 2)
    assert.containSubset(body.data.files, [
      { bucketFileId: root.bucketFileId, bucketId: builtIn.bucketId, path: 'main.py', root: false },
      { bucketId: added.body.data.bucketId, path: 'other.py', root: true },
    ])
  })

  test('the code of a bucket without files is empty', async ({ assert }) => {
    const analysis = await scene.analysis()
    const { bucketId } = await scene.bucket(analysis)
    const { body } = await codeOf(analysis.id)
    assert.containSubset(body.data, { bucketId, total: 0 })
    assert.isEmpty(body.data.files)
  })

  test('the code returns the content digest and the image with the files', async ({ assert }) => {
    const image = await scene.image()
    const analysis = await scene.analysis()
    const args = [{ value: '--late', position: 'after' }]
    await set('analyses', analysis.id, {
      master_image_id: image.id,
      image_command_arguments: JSON.stringify(args),
    })
    const bucket = await scene.bucket(analysis)
    await scene.file(bucket, { path: 'main.py', root: true })
    const before = await codeOf(analysis.id)
    assert.equal(before.body.data.digest, await digestOf(analysis.id))
    assert.deepEqual(before.body.data.imageCommandArguments, args)
    assert.containSubset(before.body.data.masterImage, {
      id: image.id,
      virtualPath: image.virtualPath,
      command: image.command,
    })
    const foreign = await scene.file(bucket, { path: 'foreign.py' })
    const between = await codeOf(analysis.id)
    assert.notEqual(between.body.data.digest, before.body.data.digest)
    await database().query('delete from analysis_bucket_files where id = $1', [foreign.id])
    assert.deepEqual((await codeOf(analysis.id)).body, before.body)
  })

  test('the code is not there before its bucket, and not without an analysis', async ({
    assert,
  }) => {
    const { id } = await scene.analysis()
    assert.deepInclude((await codeOf(id)).body, { statusCode: 404, code: 'entity_not_found' })
    assert.equal((await codeOf(clock.uuid())).status, 404)
  })
})
