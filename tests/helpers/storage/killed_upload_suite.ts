import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'

import { test } from '@japa/runner'

import { storagePool } from '#storage/database'
import { sweepExpiredClaims } from '#storage/sweeps/expired_claims'
import { sweepObjects } from '#storage/sweeps/object_sweep'
import { NOTHING, partHead } from '#tests/functional/storage/files_scene'
import { eventually } from '#tests/helpers/eventually'
import { RemoteBucket } from './remote_bucket.js'
import type { ResumableSubject } from './resumable_suite.js'
import { StorageProcess } from './storage_process.js'

const MIB = 1024 ** 2

/** More than the first part of an upload in parts. */
const HALF = 9 * MIB

const { signal } = new AbortController()
const SENT = [
  { path: 'first', content: randomBytes(MIB) },
  { path: 'second', content: randomBytes(HALF) },
  { path: 'third', content: randomBytes(HALF) },
]

/** What is left of an upload whose process is killed, on an object store. */
export function killedUploadSuite(name: string, prepare: () => Promise<ResumableSubject>): void {
  test.group(`Uploads whose process is killed | ${name}`, (group) => {
    const personId = randomUUID()
    let subject: ResumableSubject
    let running: StorageProcess
    let bucket: RemoteBucket

    const start = async () => (running = await StorageProcess.start(personId, subject.variables))

    group.setup(async () => {
      subject = await prepare()
      bucket = await RemoteBucket.make(await start(), subject.store)
      return async () => {
        await running.kill()
        await subject.stop()
      }
    })

    /** All of its files but the last are whole. */
    async function beginUpload(): Promise<{ broken: Promise<unknown> }> {
      const request = bucket.openUpload()
      const broken = once(request, 'error')
      const parts = SENT.map(({ path, content }) => [partHead(path), content])
      for (const piece of parts.flatMap((part) => [...part, '\r\n']).slice(0, -1)) {
        request.write(piece)
      }
      await eventually(async () => {
        const { objects, unfinished } = await bucket.remains()
        return objects === SENT.length - 1 && unfinished === 1
      })
      return { broken }
    }

    async function letClaimsRunOut(): Promise<void> {
      await storagePool().query(
        `update bucket_file_claims set expires_at = now() - interval '1 s' where bucket_id = $1`,
        [bucket.id]
      )
    }

    const sweepClaims = () => sweepExpiredClaims(subject.store, 0, signal)
    const sweepOrphans = () =>
      sweepObjects({ store: subject.store, graceMs: 0, signal, logger: { error: () => {} } })

    test('unfinished uploads are not files, free their paths soon, and are swept up', async ({
      assert,
    }) => {
      const { broken } = await beginUpload()
      await running.kill()
      await broken
      bucket.moveTo(await start())
      assert.isEmpty(await bucket.files())
      assert.equal((await bucket.upload(SENT.slice(0, 1))).status, 409)

      await letClaimsRunOut()
      assert.equal((await bucket.upload([SENT[0]!, SENT[2]!])).status, 201)
      await sweepClaims()
      await sweepOrphans()
      assert.deepEqual(await bucket.remains(), { ...NOTHING, files: 2, objects: 2 })
      const files = await bucket.files()
      assert.sameMembers(
        files.map(({ path }) => path),
        ['first', 'third']
      )
      for (const { id, path } of files) {
        const { content } = SENT.find((sent) => sent.path === path)!
        assert.isTrue(content.equals(await bucket.content(id)))
        await bucket.removeFile(id)
      }
      assert.deepEqual(await bucket.remains(), NOTHING)
    }).timeout(120_000)

    test('uploads leave nothing where no client comes back', async ({ assert }) => {
      const { broken } = await beginUpload()
      await running.kill()
      await broken
      await sweepClaims()
      await sweepOrphans()
      const claimed = { ...NOTHING, claims: 3, objects: 2, unfinished: 1 }
      assert.deepEqual(await bucket.remains(), claimed)
      await letClaimsRunOut()
      await sweepClaims()
      assert.deepEqual(await bucket.remains(), NOTHING)
    }).timeout(120_000)
  })
}
