import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { clock } from '#kernel/clock'
import { claimPath } from '#storage/claims/claims'
import { storagePool } from '#storage/database'
import { activeLayout, objectStore } from '#storage/objects/store'
import { prepareLocation } from '#storage/objects/bucket_locations'
import { sweepExpiredClaims } from '#storage/sweeps/expired_claims'
import { filesWithoutObject } from '#storage/sweeps/missing_objects'
import { sweepAbandonedLocations, sweepObjects } from '#storage/sweeps/object_sweep'
import { eventually } from '#tests/helpers/eventually'
import {
  LAST_BOUNDARY,
  multipart,
  newBucket,
  NOTHING,
  openRequest,
  partHead,
  locationOf,
  remains,
  uploaded,
} from './files_scene.js'

const { signal } = new AbortController()
const HOUR_MS = 3_600_000

const bytes = (size = 10) =>
  (async function* () {
    yield randomBytes(size)
  })()

function addressIn(bucketId: string, key = clock.random(32).toString('hex')) {
  const { container, prefix } = locationOf(bucketId)
  return { container, key: prefix + key }
}

async function thorough(graceMs = 0) {
  const errors: { files: string[] }[] = []
  const logger = { error: (details: any) => void errors.push(details) }
  const store = await objectStore()
  const removed = await sweepObjects({ store, graceMs, signal, logger })
  return { removed, errors }
}

test.group('Sweep | claims', () => {
  test('that ran out go with what was stored for them, others stay', async ({ assert }) => {
    const bucketId = await newBucket()
    const store = await objectStore()
    const expired = await claimPath({ bucketId, path: 'expired', ttlMs: -1_000 })
    const claimed = await claimPath({ bucketId, path: 'held', ttlMs: 30_000 })
    for (const { address } of [expired, claimed]) {
      await store.put(address, bytes())
    }
    assert.isAtLeast(await sweepExpiredClaims(store, 0, signal), 1)
    assert.deepEqual(await remains(bucketId), { ...NOTHING, claims: 1, objects: 1 })
  })

  test('whose upload is under way somewhere after all do not become files', async ({ assert }) => {
    const bucketId = await newBucket()
    const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart())
    request.write(`${partHead('a')}${'x'.repeat(9 * 1024 ** 2)}`)
    await eventually(async () => (await remains(bucketId)).unfinished === 1)
    await storagePool().query(
      `update bucket_file_claims set expires_at = now() - interval '1 s' where bucket_id = $1`,
      [bucketId]
    )
    await sweepExpiredClaims(await objectStore(), 0, signal)
    assert.deepEqual(await remains(bucketId), NOTHING)
    request.end(`\r\n${LAST_BOUNDARY}`)
    assert.equal((await answer).status, 409)
    assert.deepEqual(await remains(bucketId), NOTHING)
  })

  test('claims are swept however many there are', async ({ assert }) => {
    const bucketId = await newBucket()
    await storagePool().query(
      `insert into bucket_file_claims (id, bucket_id, path, hash, layout, expires_at)
       select gen_random_uuid(), $1, n::text, md5(n::text), 'own', now() - interval '1 hour'
       from generate_series(1, 250) n`,
      [bucketId]
    )
    assert.isAtLeast(await sweepExpiredClaims(await objectStore(), 0, signal), 250)
    assert.deepEqual(await remains(bucketId), NOTHING)
  })
})

test.group('Sweep | objects', () => {
  test('without file and claim are removed when old enough; others stay', async ({ assert }) => {
    await thorough()
    const bucketId = await newBucket()
    const store = await objectStore()
    await uploaded(bucketId, [{ path: 'a', content: Buffer.from('a') }])
    const { address } = await claimPath({ bucketId, path: 'b', ttlMs: 30_000 })
    await store.put(address, bytes())
    for (let n = 0; n < 3; n++) {
      await store.put(addressIn(bucketId), bytes())
    }
    await thorough(HOUR_MS)
    assert.equal((await remains(bucketId)).objects, 5)
    assert.equal((await thorough()).removed, 3)
    assert.deepEqual(await remains(bucketId), { ...NOTHING, files: 1, claims: 1, objects: 2 })
  })

  test('that were never completed go too, unless a client is sending them', async ({ assert }) => {
    const bucketId = await newBucket()
    const store = await objectStore()
    let finish = () => {}
    async function* slow() {
      yield randomBytes(9 * 1024 ** 2)
      await new Promise<void>((resolve) => (finish = resolve))
    }
    const putting = store.put(addressIn(bucketId), slow()).catch((error: Error) => error)
    const { request, answer } = openRequest(`/buckets/${bucketId}/upload`, multipart())
    request.write(`${partHead('a')}${'x'.repeat(9 * 1024 ** 2)}`)
    await eventually(async () => (await remains(bucketId)).unfinished === 2)
    await thorough()
    assert.equal((await remains(bucketId)).unfinished, 1)
    finish()
    assert.instanceOf(await putting, Error)
    request.end(`\r\n${LAST_BOUNDARY}`)
    assert.equal((await answer).status, 201)
  })

  test('that are missing are reported once, and their files stay', async ({ assert }) => {
    const bucketId = await newBucket()
    const files = await uploaded(
      bucketId,
      ['a', 'b', 'c'].map((path) => ({ path, content: Buffer.from(path) }))
    )
    const missing = files[1]!
    await (await objectStore()).delete(addressIn(bucketId, missing.hash))
    const { errors } = await thorough()
    assert.deepEqual(errors.find(({ files: ids }) => ids.includes(missing.id))?.files, [missing.id])
    assert.isEmpty((await thorough()).errors)
    assert.isAtLeast((await filesWithoutObject.get()).values[0]!.value, 1)
    assert.equal((await remains(bucketId)).files, 3)
  })

  test('objects of a store that is empty because it is the wrong one cost no file', async ({
    assert,
  }) => {
    const bucketId = await newBucket()
    await uploaded(bucketId, [{ path: 'a', content: Buffer.from('a') }])
    await (await objectStore()).delete(addressIn(bucketId, (await hashesIn(bucketId))[0]))
    if (activeLayout() === 'own') {
      await (await objectStore()).removeContainer(bucketId)
    }
    await thorough()
    assert.equal((await remains(bucketId)).files, 1)
  })
})

test.group('Sweep | places', () => {
  test('whose bucket was never created, or is deleted, are emptied and removed', async ({
    assert,
  }) => {
    const store = await objectStore()
    const id = clock.uuid()
    await prepareLocation(id)
    await store.put(addressIn(id), bytes())
    const bucketId = await newBucket()
    await sweepAbandonedLocations(HOUR_MS, signal)
    assert.equal((await remains(id)).objects, 1)
    assert.isAtLeast(await sweepAbandonedLocations(-1_000, signal), 1)
    assert.equal((await remains(id)).objects, 0)
    assert.deepEqual(await locationRows(id), [])
    assert.lengthOf(await locationRows(bucketId), 1)
  })
})

async function locationRows(bucketId: string): Promise<unknown[]> {
  const { rows } = await storagePool().query(
    'select 1 from bucket_locations where bucket_id = $1',
    [bucketId]
  )
  return rows
}

async function hashesIn(bucketId: string): Promise<string[]> {
  const { rows } = await storagePool().query<{ hash: string }>(
    'select hash from bucket_files where bucket_id = $1',
    [bucketId]
  )
  return rows.map(({ hash }) => hash)
}
