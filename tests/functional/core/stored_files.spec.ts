import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { serviceOrigin } from '#auth/service_origin'
import {
  AnalysisBucketFileService,
  type StoredFile,
} from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { clock } from '#kernel/clock'
import { inTransaction } from '#records/transaction'
import type { Attributes } from '#records/row'

import { call, database, decided, Scene } from './analysis_scene.js'

test.group('Files that storage took in', (group) => {
  let scene: Scene
  let analysis: Attributes
  let bucket: Attributes

  group.each.setup(async () => {
    scene = await Scene.set()
    analysis = await scene.analysis()
    bucket = await scene.bucket(analysis)
  })

  const stored = (path: string, attributes: Partial<StoredFile> = {}): StoredFile => ({
    id: clock.uuid(),
    bucketId: bucket.bucketId as string,
    path,
    ...attributes,
  })
  const addStored = async (...files: readonly StoredFile[]) => {
    const service = await app.container.make(AnalysisBucketFileService)
    const origin = await serviceOrigin()
    await inTransaction(database(), (transaction) => service.addStored(transaction, origin, files))
  }
  const entered = async (): Promise<Map<string, string>> => {
    const path = `/analysis-bucket-files?filter[analysisBucketId]=${bucket.id}`
    const { body } = await call(scene.researcher(), 'GET', path)
    return new Map(body.data.map((file: Attributes) => [file.path, file.bucketFileId]))
  }

  test('stored files are entered together, each once and with whom it is from', async ({
    assert,
  }) => {
    const userId = clock.uuid()
    const files = ['a.py', 'b.py', 'c.py'].map((path) =>
      stored(path, { actorType: 'user', actorId: userId })
    )
    await addStored(...files.slice(0, 2))
    await addStored(...files)
    assert.deepEqual(await entered(), new Map(files.map(({ id, path }) => [path, id])))
    const { rows } = await database().query(
      'select count(*)::int as count from analysis_bucket_files where user_id = $1 and not root',
      [userId]
    )
    assert.equal(rows[0].count, 3)
  })

  test('stored files take the places of those that had their paths, also of those beside them', async ({
    assert,
  }) => {
    const [former, other] = [stored('main.py'), stored('other.py')]
    await addStored(former, other)
    const [first, last] = [stored('main.py'), stored('main.py')]
    await addStored(first, stored('new.py'), last)
    const files = await entered()
    assert.deepEqual([...files.keys()].sort(), ['main.py', 'new.py', 'other.py'])
    assert.equal(files.get('main.py'), last.id)
    assert.equal(files.get('other.py'), other.id)
  })

  test('withdraw the approvals of the former content', async ({ assert }) => {
    const { id } = await scene.assigned(analysis)
    await decided(id, 'approved')
    await addStored(stored('a.py'), stored('b.py'))
    const { body } = await call(scene.researcher(), 'GET', `/analysis-nodes/${id}`)
    assert.isNull(body.data.approvalStatus)
  })

  test('stored files become the entry point on request, whether added before or not', async ({
    assert,
  }) => {
    const [first, second] = [stored('a.py'), stored('b.py')]
    await addStored(first, second)
    const create = (file: StoredFile, root: boolean) =>
      call(scene.researcher(), 'POST', '/analysis-bucket-files', {
        analysisBucketId: bucket.id,
        bucketId: bucket.bucketId,
        bucketFileId: file.id,
        path: file.path,
        root,
      })
    for (const [file, root] of [
      [first, true],
      [second, true],
      [second, false],
    ] as const) {
      const { status, body } = await create(file, root)
      assert.equal(status, 201)
      assert.equal(body.data.bucketFileId, file.id)
      assert.isTrue(body.data.root)
    }
    const { rows } = await database().query(
      'select bucket_file_id as id from analysis_bucket_files where analysis_bucket_id = $1 and root',
      [bucket.id]
    )
    assert.deepEqual(rows, [{ id: second.id }])
  })

  test('stored files without an analysis are ignored', async ({ assert }) => {
    await addStored(stored('a.py', { bucketId: clock.uuid() }))
    assert.equal((await entered()).size, 0)
  })
})
