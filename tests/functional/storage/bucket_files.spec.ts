import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { BucketFileService } from '#storage/bucket_files/bucket_file_service'
import { identity, REALMS } from '#tests/helpers/identities'
import { storagePool } from '#storage/database'

import { aBucket, aFile, callStorage, objectsOf, person, withoutStore } from './storage_scene.js'

const bucketFiles = () => app.container.make(BucketFileService)
const REALM = clock.uuid()
const ELSEWHERE = clock.uuid()
const KEYS = [
  'id',
  'name',
  'path',
  'directory',
  'size',
  'hash',
  'createdAt',
  'updatedAt',
  'realmId',
  'actorType',
  'actorId',
  'bucketId',
]

test.group('Files of buckets', () => {
  test('files are shown without internals of the storage', async ({ assert }) => {
    const { id: bucketId } = await aBucket({ realmId: REALM })
    const { id } = await aFile(bucketId)
    const { body } = await callStorage(person(REALM), 'GET', `/bucket-files/${id}`)
    assert.sameMembers(Object.keys(body.data), KEYS)
    assert.strictEqual(body.data.size, 7)
    const more = await callStorage(
      identity(),
      'GET',
      `/bucket-files/${id}?fields=%2Bsha256,%2Blayout`
    )
    assert.sameMembers(Object.keys(more.body.data), KEYS)
    const row = await (await bucketFiles()).findRow(id)
    assert.equal(row.layout, 'own')
    assert.strictEqual(row.size, 7)
  })

  test('files have sizes beyond 32 bits, and may have none', async ({ assert }) => {
    const { id: bucketId } = await aBucket({ realmId: REALM })
    const { id } = await aFile(bucketId)
    for (const size of [5 * 1024 ** 3, 2 ** 53 - 1, null]) {
      await storagePool().query('update bucket_files set size = $2 where id = $1', [id, size])
      const { body } = await callStorage(person(REALM), 'GET', `/bucket-files/${id}`)
      assert.strictEqual(body.data.size, size)
      assert.strictEqual((await (await bucketFiles()).findRow(id)).size, size)
    }
  })

  test('files are shown with their bucket on request', async ({ assert }) => {
    const bucket = await aBucket({ realmId: REALM, refType: 'analysis', refId: clock.uuid() })
    const { id } = await aFile(bucket.id)
    const { body } = await callStorage(
      person(REALM, ['bucket_update']),
      'GET',
      `/bucket-files?filter[id]=${id}&include=bucket`
    )
    assert.equal(body.data[0].bucket.name, bucket.name)
    assert.notInclude(JSON.stringify(body.data), bucket.refId as string)
  })

  test('files are looked up by their id, and by nothing else', async ({ assert }) => {
    const { id: bucketId } = await aBucket({ realmId: REALM })
    const file = await aFile(bucketId, { name: 'known.txt' })
    for (const path of ['known.txt', file.hash, clock.uuid(), '%00', 'x']) {
      for (const method of ['GET', 'DELETE']) {
        const { status, body } = await callStorage(person(REALM), method, `/bucket-files/${path}`)
        assert.equal(status, 404, `${method} ${path}`)
        assert.equal(body.code, 'entity_not_found')
        assert.include(body.message, 'The bucket-file was not found')
      }
    }
  })

  test('files come by uploads only, and are not changed', async ({ assert }) => {
    const { id: bucketId } = await aBucket({ realmId: REALM })
    const { id } = await aFile(bucketId)
    for (const path of ['/bucket-files', `/bucket-files/${id}`]) {
      const { status, body } = await callStorage(identity(), 'POST', path, { name: 'x', bucketId })
      assert.equal(status, 404)
      assert.equal(body.code, 'entity_not_found')
    }
  })

  for (const filter of ['path', 'hash', 'size', 'sha256', 'layout']) {
    test(`files cannot be filtered by their ${filter}`, async ({ assert }) => {
      const expression = await callStorage(
        identity(),
        'GET',
        `/bucket-files?filter=eq(${filter},'probe')`
      )
      assert.equal(expression.status, 400)
      const { status, headers } = await callStorage(
        identity(),
        'GET',
        `/bucket-files?filter[${filter}]=x`
      )
      assert.equal(status, 200)
      assert.equal(headers.get('x-dropped-keys'), `filters.${filter}`)
    })
  }
})

test.group('Deleting a file', () => {
  /** The caller; whether it uploaded the file or created the bucket; its permissions; the response. */
  const cases = [
    ['who sent it', 'file', [], ELSEWHERE, 'site', 202],
    ['who made its bucket', 'bucket', [], ELSEWHERE, 'site', 202],
    ['of its realm without a permission', 'none', [], REALM, 'site', 403],
    ['of its realm who may create buckets', 'none', ['bucket_create'], REALM, 'site', 403],
    ['of its realm who may delete buckets', 'none', ['bucket_delete'], REALM, 'site', 403],
    ['of its realm who may change buckets', 'none', ['bucket_update'], REALM, 'site', 202],
    ['of another realm who may change buckets', 'none', ['bucket_update'], ELSEWHERE, 'site', 403],
    [
      'of the master realm who may change them',
      'none',
      ['bucket_update'],
      REALMS.master,
      'master',
      202,
    ],
    ['of the master realm without a permission', 'none', [], REALMS.master, 'master', 403],
  ] as const

  for (const [who, owns, permissions, realmId, realmName, expected] of cases) {
    for (const kind of ['user', 'client', 'robot'] as const) {
      test(`by a ${kind} ${who} is answered with ${expected}`, async ({ assert }) => {
        const caller = person(realmId, [...permissions], { realmName, kind })
        const owner = { actorType: kind, actorId: caller.actor.id }
        const namesake = { ...owner, actorType: kind === 'user' ? 'client' : 'user' }
        const { id: bucketId } = await aBucket({
          realmId: ELSEWHERE,
          ...(owns === 'bucket' ? owner : namesake),
        })
        const { id } = await aFile(bucketId, {
          realmId: REALM,
          ...(owns === 'file' ? owner : namesake),
        })
        const { status, body } = await callStorage(caller, 'DELETE', `/bucket-files/${id}`)
        assert.equal(status, expected)
        if (expected === 202) {
          assert.deepEqual(body.meta, {})
          assert.sameMembers(Object.keys(body.data), KEYS)
          assert.equal(body.data.id, id)
          assert.equal(await objectsOf(bucketId, 'own'), 0)
          const again = await callStorage(caller, 'DELETE', `/bucket-files/${id}`)
          assert.equal(again.status, 404)
        } else {
          assert.equal(body.code, 'permission_denied')
          assert.equal(await objectsOf(bucketId, 'own'), 1)
          assert.equal((await callStorage(identity(), 'GET', `/bucket-files/${id}`)).status, 200)
        }
      })
    }
  }

  test('the deletion is done also where the store is away', async ({ assert, cleanup }) => {
    const sender = person(REALM)
    const { id: bucketId } = await aBucket({ realmId: REALM })
    const { id } = await aFile(bucketId, { actorId: sender.actor.id })
    const bringBack = await withoutStore()
    cleanup(bringBack)
    assert.equal((await callStorage(sender, 'DELETE', `/bucket-files/${id}`)).status, 202)
    await bringBack()
    assert.equal((await callStorage(sender, 'GET', `/bucket-files/${id}`)).status, 404)
    assert.equal(await objectsOf(bucketId, 'own'), 1, 'left to the sweep')
  })

  test('the deletion does not touch the others of its bucket', async ({ assert }) => {
    const sender = person(REALM)
    const { id: bucketId } = await aBucket({ realmId: REALM })
    const row = { actorId: sender.actor.id }
    const [one, other] = [await aFile(bucketId, row), await aFile(bucketId, row)]
    await callStorage(sender, 'DELETE', `/bucket-files/${one.id}`)
    const { body } = await callStorage(sender, 'GET', `/bucket-files?filter[bucketId]=${bucketId}`)
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [other.id]
    )
    assert.equal(await objectsOf(bucketId, 'own'), 1)
  })

  test('the deletion of two requests at once is done by one', async ({ assert }) => {
    const sender = person(REALM)
    const { id: bucketId } = await aBucket({ realmId: REALM })
    const { id } = await aFile(bucketId, { actorId: sender.actor.id })
    const answers = await Promise.all(
      [1, 2].map(() => callStorage(sender, 'DELETE', `/bucket-files/${id}`))
    )
    assert.sameMembers(
      answers.map(({ status }) => status),
      [202, 404]
    )
  })
})
