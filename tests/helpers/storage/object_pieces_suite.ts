import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { emptyLocation } from '#storage/objects/empty_location'
import {
  ContainerMissing,
  ObjectMissing,
  PutInterrupted,
  UnsafeObjectName,
} from '#storage/objects/errors'
import type { ObjectAddress, ObjectStore, PartialObject } from '#storage/objects/object_store'
import { eventually } from '#tests/helpers/eventually'
import { stopwatch } from '#tests/helpers/stopwatch'
import { chunksOf, digest, failureOf, pushed, type StoreSubject } from './object_store_suite.js'

const MIB = 1024 ** 2

/** What the contract of object stores promises of objects that arrive in pieces, of each driver. */
export function objectPiecesSuite(name: string, begin: () => Promise<StoreSubject>): void {
  test.group(`Object store, pieces | ${name}`, (group) => {
    const bytes = randomBytes(40 * MIB)
    let subject: StoreSubject
    let store: ObjectStore
    let container: string
    let address: ObjectAddress

    group.setup(async () => {
      subject = await begin()
      store = subject.store
      container = `suite-${randomUUID()}`
      address = { container, key: 'deep/a' }
      return async () => {
        await store.removeContainer(container)
        await subject.stop()
      }
    })

    group.each.setup(async () => {
      await store.makeContainer(container)
      return async () => {
        await emptyLocation(store, { container, prefix: '' })
      }
    })

    const listed = async () => keysOf(store.list(container))
    const unfinished = async () => new Set(await keysOf(store.unfinished(container)))
    const append = (partial: PartialObject, size: number, by: ObjectStore = store) =>
      by.append(address, partial, chunksOf(bytes.subarray(partial.size, partial.size + size)))
    const requireWhole = async (size: number) => {
      const found = await buffer(await store.read(address))
      if (digest(found) !== digest(bytes.subarray(0, size))) {
        throw new Error('Other bytes came back')
      }
      if (found.length !== size) {
        throw new Error(`${found.length} bytes came back`)
      }
    }

    test('pieces come back as one object, whatever their sizes are: {sizes}')
      .with([
        { sizes: [] },
        { sizes: [1] },
        { sizes: [0, 3, 0] },
        { sizes: [8 * MIB] },
        { sizes: [8 * MIB, 8 * MIB, 8 * MIB] },
        { sizes: [8 * MIB - 1, 1, 1] },
        { sizes: [3 * MIB, 3 * MIB, 3 * MIB, 20 * MIB + 11, 5] },
        { sizes: [20 * MIB + 7, 1, 19 * MIB] },
      ])
      .run(async ({ assert }, { sizes }) => {
        let partial = await store.startUpload(address)
        assert.equal(partial.size, 0)
        for (const size of sizes) {
          const before = partial.size
          partial = written(await append(partial, size))
          assert.equal(partial.size, before + size)
          assert.isAbove(partial.nextBytes, 0)
        }
        assert.isEmpty(await listed())
        assert.deepEqual(await unfinished(), new Set(['deep/a']))
        await store.complete(address, partial)
        assert.deepEqual(await listed(), ['deep/a'])
        assert.isEmpty(await unfinished())
        await requireWhole(partial.size)
      })

    test('pieces of a known size need no more than that', async ({ assert }) => {
      const size = 17 * MIB + 3
      let partial = await store.startUpload(address, { expectedBytes: size })
      partial = written(await append(partial, 9 * MIB))
      partial = written(await append(partial, size - 9 * MIB))
      assert.equal(partial.size, size)
      await store.complete(address, partial)
      await requireWhole(size)
      assert.isEmpty(await unfinished())
    })

    test('pieces may each be stored by another process', async () => {
      let partial = await store.startUpload(address)
      for (const size of [1, 6 * MIB, 6 * MIB, 11 * MIB]) {
        const other = subject.again()
        partial = written(await append(partial, size, other))
        other.close()
      }
      const last = subject.again()
      await last.complete(address, partial)
      last.close()
      await requireWhole(partial.size)
    })

    test('that break off leave what was there before, again and again', async ({ assert }) => {
      let partial = await store.startUpload(address)
      for (let round = 0; round < 8; round++) {
        const broken = failingAfter(
          bytes.subarray(partial.size, partial.size + randomInt(12 * MIB))
        )
        const failure = await failureOf(store.append(address, partial, broken))
        assert.equal(failure?.message, 'The client is gone')
        partial = written(
          await append(partial, Math.min(randomInt(6 * MIB), bytes.length - partial.size))
        )
      }
      partial = written(await append(partial, bytes.length - partial.size))
      await store.complete(address, partial)
      await requireWhole(bytes.length)
      assert.isEmpty(await unfinished())
    })

    test('bytes that were stored and never reported are cut off', async ({ assert }) => {
      const first = written(await append(await store.startUpload(address), 6 * MIB))
      await append(first, 30 * MIB)
      const second = written(await append(first, 1 * MIB))
      await append(second, 7 * MIB)
      await append(second, 2)
      const third = written(await append(second, 29 * MIB))
      await store.complete(address, third)
      await requireWhole(36 * MIB)
      assert.isEmpty(await unfinished())
    })

    test('chunks that are abandoned while their source is silent end at once', async ({
      assert,
    }) => {
      const partial = written(await append(await store.startUpload(address), 9 * MIB))
      const abort = new AbortController()
      const { source, send } = pushed()
      const appending = failureOf(store.append(address, partial, source, { signal: abort.signal }))
      await send(bytes.subarray(partial.size, partial.size + 9 * MIB))
      const took = stopwatch()
      abort.abort(new Error('Enough'))
      assert.equal((await appending)?.message, 'Enough')
      assert.isBelow(took(), 2_000)
      const whole = written(await append(partial, 9 * MIB))
      await store.complete(address, whole)
      await requireWhole(18 * MIB)
    }).retry(2)

    test('chunks are completed once more where the outcome is unknown', async ({ assert }) => {
      for (const size of [0, 5, 19 * MIB]) {
        const partial = written(await append(await store.startUpload(address), size))
        await store.complete(address, partial)
        await store.complete(address, partial)
        await requireWhole(size)
        assert.isEmpty(await unfinished())
        await store.delete(address)
      }
    })

    test('pieces cannot be completed once their object was complete and is gone', async ({
      assert,
    }) => {
      for (const size of [5, 19 * MIB]) {
        const partial = written(await append(await store.startUpload(address), size))
        await store.complete(address, partial)
        await store.delete(address)
        assert.instanceOf(await failureOf(store.complete(address, partial)), PutInterrupted)
        await emptyLocation(store, { container, prefix: '' })
      }
    })

    test('pieces are gone when they are discarded, and cannot be continued', async ({ assert }) => {
      const partial = written(await append(await store.startUpload(address), 13 * MIB))
      await store.discard(address, partial)
      await store.discard(address, partial)
      assert.isEmpty(await unfinished())
      assert.instanceOf(await failureOf(append(partial, 9 * MIB)), PutInterrupted)
      assert.instanceOf(await failureOf(store.complete(address, partial)), PutInterrupted)
      assert.instanceOf(await failureOf(store.stat(address)), ObjectMissing)
      await emptyLocation(store, { container, prefix: '' })
    })

    test('pieces are gone when they are complete and discarded', async ({ assert }) => {
      const partial = written(await append(await store.startUpload(address), 13 * MIB))
      await store.complete(address, partial)
      await store.discard(address, partial)
      assert.isEmpty(await listed())
    })

    test('pieces are found as what is unfinished, and are gone with that', async ({ assert }) => {
      const partial = written(await append(await store.startUpload(address), 13 * MIB))
      assert.isEmpty(await keysOf(store.unfinished(container, 'shallow/')))
      const found = await Array.fromAsync(store.unfinished(container, 'deep/'))
      assert.isNotEmpty(found)
      for (const { key, startedAt, discard } of found) {
        assert.equal(key, 'deep/a')
        assert.closeTo(startedAt.getTime(), Date.now(), 60_000)
        await discard()
      }
      assert.isEmpty(await unfinished())
      assert.instanceOf(await failureOf(append(partial, 9 * MIB)), PutInterrupted)
      await emptyLocation(store, { container, prefix: '' })
    })

    test('whose object is discarded while they are stored are refused', async ({ assert }) => {
      const partial = written(await append(await store.startUpload(address), 9 * MIB))
      const { source, send, end } = pushed()
      const appending = failureOf(store.append(address, partial, source))
      await send(bytes.subarray(0, 9 * MIB))
      await eventually(async () => (await unfinished()).size > 0)
      await store.discard(address, partial)
      void send(bytes.subarray(0, 9 * MIB))
      end()
      assert.instanceOf(await appending, PutInterrupted)
      await emptyLocation(store, { container, prefix: '' })
      assert.isEmpty(await listed())
    })

    test('pieces have no place without a container, nor under names that mean another', async ({
      assert,
    }) => {
      const nowhere = { container: `none-${randomUUID()}`, key: 'a' }
      assert.instanceOf(await failureOf(store.startUpload(nowhere)), ContainerMissing)
      const partial = await store.startUpload(address)
      for (const key of ['../a', '.rest/a', '.a']) {
        const unsafe = { container, key }
        const calls = [
          store.startUpload(unsafe),
          store.append(unsafe, partial, chunksOf(bytes)),
          store.complete(unsafe, partial),
          store.discard(unsafe, partial),
        ]
        for (const call of calls) {
          assert.instanceOf(await failureOf(call), UnsafeObjectName)
        }
      }
    })
  })
}

/** As it comes back to the caller that kept it. */
function written(partial: PartialObject): PartialObject {
  return JSON.parse(JSON.stringify(partial)) as PartialObject
}

async function* failingAfter(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* chunksOf(bytes)
  throw new Error('The client is gone')
}

async function keysOf(objects: AsyncIterable<{ key: string }>): Promise<string[]> {
  const found = await Array.fromAsync(objects)
  return found.map(({ key }) => key)
}
