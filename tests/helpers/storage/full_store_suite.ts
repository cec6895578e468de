import { randomBytes, randomUUID } from 'node:crypto'

import { test } from '@japa/runner'

import { NOTHING } from '#tests/functional/storage/files_scene'
import { RemoteBucket } from './remote_bucket.js'
import type { ResumableSubject } from './resumable_suite.js'
import { StorageProcess } from './storage_process.js'
import { begin, offsetOf, patch, tus } from './tus.js'

const MIB = 1024 ** 2

export interface FullStoreSubject extends ResumableSubject {
  /** Resolves when the store counts what was stored and deleted before. */
  readonly counted: () => Promise<void>
}

/** The room that a store must have for this, neither more nor less. */
export const ROOM_BYTES = 32 * MIB

/** Leaves less room than a part of an upload in parts takes: servers count parts late that belong to nothing yet. */
const FILLING = { path: 'filling', content: randomBytes(26 * MIB) }
const SMALL = { path: 'small', content: randomBytes(MIB) }
const LARGE = { path: 'large', content: randomBytes(22 * MIB) }

/** What uploads are answered with by a store without room, and what becomes of them when there is some. */
export function fullStoreSuite(name: string, prepare: () => Promise<FullStoreSubject>): void {
  test.group(`Uploads to a store without room | ${name}`, (group) => {
    let subject: FullStoreSubject
    let running: StorageProcess
    let bucket: RemoteBucket

    group.setup(async () => {
      subject = await prepare()
      running = await StorageProcess.start(randomUUID(), subject.variables)
      bucket = await RemoteBucket.make(running, subject.store)
      return async () => {
        await running.kill()
        await subject.stop()
      }
    })

    group.each.teardown(async () => {
      for (const { id } of await bucket.files()) {
        await bucket.removeFile(id)
      }
      await subject.counted()
    })

    /** Answers how to make room again. */
    async function fill(): Promise<() => Promise<void>> {
      const { status, body } = await bucket.upload([FILLING])
      if (status !== 201) {
        throw new Error(JSON.stringify(body))
      }
      await subject.counted()
      return async () => {
        await bucket.removeFile(body.data[0].id)
        await subject.counted()
      }
    }

    const ONLY_FILLED = { ...NOTHING, files: 1, objects: 1 }

    test('uploads are refused with all of their files, and succeed when there is some', async ({
      assert,
    }) => {
      const makeRoom = await fill()
      for (let attempt = 0; attempt < 2; attempt++) {
        const { status, body } = await bucket.upload([SMALL, LARGE])
        assert.equal(status, 507)
        assert.equal(body.code, 'storage_insufficient')
        assert.deepEqual(await bucket.remains(), ONLY_FILLED)
      }
      await makeRoom()
      const { status, body } = await bucket.upload([SMALL, LARGE])
      assert.equal(status, 201)
      assert.isTrue(LARGE.content.equals(await bucket.content(body.data[1].id)))
      assert.deepEqual(await bucket.remains(), { ...NOTHING, files: 2, objects: 2 })
    }).timeout(120_000)

    test('chunked writes are refused, and continue from there when there is space', async ({
      assert,
    }) => {
      const makeRoom = await fill()
      const { content } = LARGE
      const path = await begin(bucket.speaker, bucket.id, LARGE.path, content.length)
      assert.equal((await patch(bucket.speaker, path, 0, content.subarray(0, MIB))).status, 204)
      const refused = await patch(bucket.speaker, path, MIB, content.subarray(MIB))
      assert.equal(refused.status, 507)
      assert.equal(refused.body.code, 'storage_insufficient')
      assert.equal(await offsetOf(bucket.speaker, path), MIB)
      assert.equal((await bucket.remains()).files, 1)

      await subject.counted()
      assert.equal((await bucket.upload([SMALL])).status, 201, 'what was refused takes no room')
      await makeRoom()
      assert.equal((await patch(bucket.speaker, path, MIB, content.subarray(MIB))).status, 204)
      const id = path.split('/').at(-1)!
      assert.isTrue(content.equals(await bucket.content(id)))
      assert.deepEqual(await bucket.remains(), { ...NOTHING, files: 2, objects: 2 })
    }).timeout(120_000)

    test('chunked writes leave nothing when they are abandoned instead', async ({ assert }) => {
      await fill()
      const path = await begin(bucket.speaker, bucket.id, LARGE.path, LARGE.content.length)
      assert.equal((await patch(bucket.speaker, path, 0, LARGE.content)).status, 507)
      assert.equal((await tus(bucket.speaker, 'DELETE', path)).status, 204)
      assert.deepEqual(await bucket.remains(), ONLY_FILLED)
    }).timeout(120_000)
  })
}
