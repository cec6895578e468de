import { hash } from 'node:crypto'

import { test } from '@japa/runner'

import { storagePool } from '#storage/database'
import { identity, REALMS } from '#tests/helpers/identities'
import { callBucket, newBucket, uploaded } from './files_scene.js'

const filesOf = async (bucketId: string, headers = {}) => {
  const { status, body } = await callBucket(`/buckets/${bucketId}/files`, headers)
  return { status, ...JSON.parse(body.toString()) }
}

test.group('All files of a bucket', () => {
  test('files come at once, by path, with their sizes and digests', async ({ assert }) => {
    const bucketId = await newBucket()
    const sent = Array.from({ length: 60 }, (_, n) => ({
      path: `folder/part-${String(n).padStart(2, '0')}`,
      content: Buffer.alloc(n, 'x'),
    }))
    const stored = await uploaded(bucketId, sent)
    const { status, data, meta } = await filesOf(bucketId)
    assert.equal(status, 200)
    assert.deepEqual(meta, {})
    assert.equal(data.total, 60)
    const files = stored.map(({ id, path, size }, n) => ({
      id,
      path,
      size,
      sha256: hash('sha256', sent[n]!.content),
    }))
    assert.sameDeepMembers(data.files, files)
    const paths = data.files.map(({ path }: { path: string }) => path)
    assert.deepEqual(paths, paths.toSorted())
  })

  test('files of which one has no recorded size, are returned all the same', async ({ assert }) => {
    const bucketId = await newBucket()
    const [file] = await uploaded(bucketId, [{ path: 'a', content: Buffer.from('a') }])
    await storagePool().query('update bucket_files set size = null where id = $1', [file!.id])
    assert.deepEqual((await filesOf(bucketId)).data.files, [
      { id: file!.id, path: 'a', size: null, sha256: hash('sha256', 'a') },
    ])
  })

  test('files are for callers who reach the bucket', async ({ assert }) => {
    const bucketId = await newBucket()
    const stranger = identity({ realmId: REALMS.other, realmName: 'other', permissions: [] })
    assert.equal((await filesOf(bucketId, stranger.headers)).status, 403)
    assert.equal((await filesOf(bucketId, { authorization: '' })).status, 401)
    assert.equal((await filesOf('no-such-bucket')).status, 404)
  })
})
