import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'

import { test } from '@japa/runner'

import { PayloadTooLarge } from '#kernel/failures'
import { FsObjectStore } from '#storage/objects/fs/fs_object_store'
import type { ObjectAddress, ObjectStore, PutOptions } from '#storage/objects/object_store'
import { UploadStalled } from '#storage/uploads/incoming_file'
import { storeUpload } from '#storage/uploads/store_upload'
import { chunksOf, digest, failureOf, pushed } from '#tests/helpers/storage/object_store_suite'
import { eventually } from '#tests/helpers/eventually'
import { withManualTimers } from '#tests/helpers/manual_timers'
import { realTime } from '#tests/helpers/real_time'

const content = randomBytes(3_000_000)
const address = { container: 'uploads', key: 'a' }
const unlimited = { maxBytes: 0 }

test.group('Storing an upload', (group) => {
  let folder: string
  let store: ObjectStore

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-uploads-'))
    store = new FsObjectStore(folder)
    await store.makeContainer(address.container)
    return () => rm(folder, { recursive: true })
  })

  const isEmpty = async () =>
    (await Array.fromAsync(store.list(address.container))).length === 0 &&
    (await Array.fromAsync(store.unfinished(address.container))).length === 0

  test('a file is stored, with its size and its digest', async ({ assert }) => {
    const stored = await storeUpload(store, address, chunksOf(content), unlimited)
    assert.deepEqual(stored, { size: content.length, sha256: digest(content) })
    assert.equal((await store.stat(address)).size, content.length)
  })

  test('a file without bytes has a digest, too', async ({ assert }) => {
    const stored = await storeUpload(store, address, chunksOf(Buffer.alloc(0)), unlimited)
    assert.deepEqual(stored, { size: 0, sha256: digest(Buffer.alloc(0)) })
  })

  test('a file may be as large as the limit, and no larger', async ({ assert }) => {
    await storeUpload(store, address, chunksOf(content), { maxBytes: content.length })
    await store.delete(address)
    const limits = { maxBytes: content.length - 1 }
    const failure = await failureOf(storeUpload(store, address, chunksOf(content), limits))
    assert.instanceOf(failure, PayloadTooLarge)
    assert.isTrue(await isEmpty())
  })

  test('nothing remains after a client disconnects', async ({ assert }) => {
    const request = new PassThrough()
    const storing = failureOf(storeUpload(store, address, request, unlimited))
    request.write(content)
    await eventually(() => request.readableLength === 0 && request.writableLength === 0)
    request.destroy(new Error('The client is gone'))
    assert.equal((await storing)?.message, 'The client is gone')
    assert.isTrue(await isEmpty())
  })

  test('an upload can be cancelled from outside', async ({ assert }) => {
    const { source, send } = pushed()
    const controller = new AbortController()
    const options = { ...unlimited, signal: controller.signal }
    const storing = failureOf(storeUpload(store, address, source, options))
    await send(content)
    controller.abort(new Error('Enough'))
    assert.equal((await storing)?.message, 'Enough')
    assert.isTrue(await isEmpty())
  })

  test('the upload of a silent client is cancelled', async ({ assert }) => {
    const { source, send } = pushed()
    const options = { ...unlimited, silenceMs: 100 }
    const storing = failureOf(storeUpload(store, address, source, options))
    await send(content)
    assert.instanceOf(await storing, UploadStalled)
    assert.isTrue(await isEmpty())
  })

  test('a client that sends a little now and then is not', async ({ assert }) => {
    async function* slowly() {
      for (let n = 0; n < 6; n++) {
        await realTime(200, 'timers that a test holds cannot be refreshed')
        yield content.subarray(n, n + 1)
      }
    }
    const options = { ...unlimited, silenceMs: 1_000 }
    const { size } = await storeUpload(store, address, slowly(), options)
    assert.equal(size, 6)
  })

  test('time of a slow store does not count against the client', async ({ assert }) => {
    const slow = new PausedObjectStore(folder)
    const bytes = content.subarray(0, 100_000)
    await withManualTimers(async (pass) => {
      const options = { ...unlimited, silenceMs: 50 }
      const storing = storeUpload(slow, address, chunksOf(bytes), options)
      await slow.chunkStored.promise
      await pass(500)
      slow.resume.resolve()
      assert.equal((await storing).size, bytes.length)
    })
  })
})

/** Takes no second chunk before it is told to. */
class PausedObjectStore extends FsObjectStore {
  readonly chunkStored = Promise.withResolvers<void>()
  readonly resume = Promise.withResolvers<void>()

  override async put(to: ObjectAddress, source: AsyncIterable<Uint8Array>, options: PutOptions) {
    const { chunkStored, resume } = this
    async function* paused() {
      for await (const chunk of source) {
        yield chunk
        chunkStored.resolve()
        await resume.promise
      }
    }
    return super.put(to, paused(), options)
  }
}
