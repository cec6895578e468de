import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'

import { test } from '@japa/runner'

import { emptyLocation } from '#storage/objects/empty_location'
import {
  ContainerMissing,
  ContainerNotEmpty,
  ObjectDamaged,
  ObjectMissing,
  PutInterrupted,
  UnsafeObjectName,
} from '#storage/objects/errors'
import type { ObjectAddress, ObjectStore } from '#storage/objects/object_store'
import { eventually } from '#tests/helpers/eventually'
import { stopwatch } from '#tests/helpers/stopwatch'
import { realTime } from '#tests/helpers/real_time'

export interface StoreSubject {
  store: ObjectStore
  /** The same store, as another process sees it. */
  again(): ObjectStore
  stop(): Promise<void>
}

const MIB = 1024 ** 2
const CHUNK = 64 * 1024

/** More with `STORE_ROUNDS`: 5 makes it the 200 aborted and the 100 parallel uploads of a full run. */
const ROUNDS = Number(process.env.STORE_ROUNDS ?? 1)

/** What the contract of object stores promises, of each driver. */
export function objectStoreSuite(name: string, begin: () => Promise<StoreSubject>): void {
  test.group(`Object store | ${name}`, (group) => {
    const bytes = randomBytes(20 * MIB)
    let subject: StoreSubject
    let store: ObjectStore
    let container: string

    group.setup(async () => {
      subject = await begin()
      store = subject.store
      container = `suite-${randomUUID()}`
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

    const at = (key: string): ObjectAddress => ({ container, key })
    const keysLeft = async () => keysOf(store.list(container))
    const unfinishedKeys = async () => keysOf(store.unfinished(container))

    test('{size} bytes come back as they were stored')
      .with([
        { size: 0 },
        { size: 1 },
        { size: 8 * MIB - 1 },
        { size: 8 * MIB },
        { size: 8 * MIB + 8193 },
        { size: 20 * MIB },
      ])
      .run(async ({ assert }, { size }) => {
        const content = bytes.subarray(0, size)
        assert.equal(await store.put(at('a'), chunksOf(content)), size)
        assert.equal(digest(await buffer(await store.read(at('a')))), digest(content))
        const { key, size: sizeHint, modifiedAt } = await store.stat(at('a'))
        assert.deepEqual([key, sizeHint], ['a', size])
        assert.closeTo(modifiedAt.getTime(), Date.now(), 60_000)
      })

    test('chunks of any size are accepted, and empty ones', async ({ assert }) => {
      const sizes = [0, 1, 3 * MIB, 0, 5, 9 * MIB, 17]
      const total = sizes.reduce((sum, size) => sum + size)
      await store.put(at('a'), cutInto(bytes, sizes))
      const content = await buffer(await store.read(at('a')))
      assert.isTrue(content.equals(bytes.subarray(0, total)))
    })

    test('a size that is known only too large does no harm', async ({ assert }) => {
      const content = bytes.subarray(0, 9 * MIB)
      await store.put(at('a'), chunksOf(content), { expectedBytes: 100 * 1024 * MIB })
      assert.isTrue(content.equals(await buffer(await store.read(at('a')))))
    })

    test('any range of an object can be read', async ({ assert }) => {
      await store.put(at('a'), chunksOf(bytes))
      const read = async (start: number, end: number) => {
        const content = await buffer(await store.read(at('a'), { start, end }))
        return content.equals(bytes.subarray(start, end + 1))
      }
      assert.isTrue(await read(0, 0))
      assert.isTrue(await read(bytes.length - 1, bytes.length - 1))
      assert.isTrue(await read(0, bytes.length - 1))
      for (let round = 0; round < 200 * ROUNDS; round++) {
        const start = Math.floor(Math.random() * bytes.length)
        const length = 1 + Math.floor(Math.random() * MIB)
        assert.isTrue(await read(start, Math.min(start + length, bytes.length) - 1), `${start}`)
      }
    })

    test('an object is read whole where its size is given, and a wrong size is detected', async ({
      assert,
    }) => {
      for (const size of [1, 4096, 300_000]) {
        const content = bytes.subarray(0, size)
        await store.put(at('a'), chunksOf(content))
        const readAs = async (sizeHint: number) =>
          buffer(await store.read(at('a'), undefined, sizeHint))
        assert.isTrue(content.equals(await readAs(size)))
        assert.isTrue(content.equals(await readAs(size + 7)))
        assert.isAbove((await readAs(size - 1)).length, size - 1)
      }
    })

    test('an object that is not there is missing, in a container or without one', async ({
      assert,
    }) => {
      await store.put(at('a'), chunksOf(bytes.subarray(0, 1)))
      const nowhere = { container: `none-${randomUUID()}`, key: 'a' }
      for (const address of [at('b'), at('a/b'), nowhere]) {
        assert.instanceOf(await failureOf(store.read(address)), ObjectMissing)
        assert.instanceOf(await failureOf(store.read(address, undefined, 1)), ObjectMissing)
        assert.instanceOf(await failureOf(store.stat(address)), ObjectMissing)
        await store.delete(address)
      }
    })

    test('small objects are read at once, in the requested order', async ({ assert }) => {
      const sizes = Array.from({ length: 250 }, (_, n) => (n % 10 === 0 ? n * 100 : n))
      await inTurns(16, sizes, async (size) => {
        await store.put(at(`${size}`), chunksOf(bytes.subarray(0, size)))
      })
      const objects = sizes.map((size) => ({ address: at(`${size}`), size }))
      for (const order of [objects, objects.toReversed(), objects.slice(0, 1), []]) {
        const contents = await store.readSmall(order)
        assert.deepEqual(
          contents.map((content) => digest(content as Buffer)),
          order.map(({ size }) => digest(bytes.subarray(0, size)))
        )
      }
    })

    test('objects that are read at once may each be missing or of another size', async ({
      assert,
    }) => {
      for (const size of [0, 1, 5_000]) {
        await store.put(at(`${size}`), chunksOf(bytes.subarray(0, size)))
      }
      await store.put(at('large'), chunksOf(bytes))
      const nowhere = { container: `none-${randomUUID()}`, key: 'a' }
      const [missing, lost, empty, longer, longest, shorter, whole] = await store.readSmall([
        { address: at('none'), size: 1 },
        { address: nowhere, size: 0 },
        { address: at('0'), size: 0 },
        { address: at('1'), size: 0 },
        { address: at('large'), size: 7 },
        { address: at('5000'), size: 5_001 },
        { address: at('5000'), size: 5_000 },
      ])
      assert.instanceOf(missing, ObjectMissing)
      assert.instanceOf(lost, ObjectMissing)
      assert.deepEqual(empty, Buffer.alloc(0))
      for (const damaged of [longer, longest, shorter]) {
        assert.instanceOf(damaged, ObjectDamaged)
      }
      assert.match((longest as Error).message, /of 7 bytes was expected, and it has more/)
      assert.match((shorter as Error).message, /of 5001 bytes was expected, and it has 5000/)
      assert.equal(digest(whole as Buffer), digest(bytes.subarray(0, 5_000)))
    })

    test('what is read at once comes to an end where its store is closed', async ({ assert }) => {
      await store.put(at('a'), chunksOf(bytes.subarray(0, 100)))
      const objects = Array.from({ length: 100 }, () => ({ address: at('a'), size: 100 }))
      const other = subject.again()
      await other.readSmall(objects)
      const reading = other.readSmall(objects).catch(() => [])
      other.close()
      assert.isTrue((await reading).every((content) => bytes.indexOf(content as Buffer) === 0))
    })

    test('an object that was deleted is gone, and may be deleted again', async ({ assert }) => {
      await store.put(at('a'), chunksOf(bytes.subarray(0, 1)))
      await store.delete(at('a'))
      await store.delete(at('a'))
      assert.instanceOf(await failureOf(store.stat(at('a'))), ObjectMissing)
      assert.isEmpty(await keysLeft())
    })

    test('a key may be the beginning of another one', async ({ assert }) => {
      const keys = ['a', 'a/b', 'a/b/c', 'a.b', `${randomUUID()}/${'f'.repeat(64)}`]
      for (const key of keys) {
        await store.put(at(key), chunksOf(Buffer.from(key)))
      }
      for (const key of keys) {
        assert.equal((await buffer(await store.read(at(key)))).toString(), key)
      }
      assert.sameMembers(await keysLeft(), keys)
    })

    test('all objects are listed, or those with a prefix, with their sizes', async ({ assert }) => {
      const keys = Array.from({ length: 1_050 }, (_, n) => `${n % 3 ? 'few' : 'many'}/${n}`)
      await inTurns(16, keys, async (key) => {
        await store.put(at(key), chunksOf(Buffer.from(key)))
      })
      assert.sameMembers(await keysLeft(), keys)
      const many = keys.filter((key) => key.startsWith('many/'))
      const listed = await Array.fromAsync(store.list(container, 'many/'))
      assert.sameMembers(
        listed.map(({ key }) => key),
        many
      )
      assert.isTrue(listed.every(({ key, size }) => size === key.length))
      assert.isEmpty(await keysOf(store.list(`none-${randomUUID()}`)))

      const place = { container, prefix: 'many/' }
      assert.equal(await emptyLocation(store, place), many.length)
      assert.lengthOf(await keysLeft(), keys.length - many.length)
    }).timeout(120_000)

    test('nothing can be stored where there is no container', async ({ assert }) => {
      const address = { container: `none-${randomUUID()}`, key: 'a' }
      for (const size of [1, 9 * MIB]) {
        const failure = await failureOf(store.put(address, chunksOf(bytes.subarray(0, size))))
        assert.instanceOf(failure, ContainerMissing)
      }
    })

    test('an object is seen only when all of it is stored', async ({ assert }) => {
      const { source, send, end } = pushed()
      const putting = store.put(at('a'), source)
      await send(bytes.subarray(0, 9 * MIB))
      assert.instanceOf(await failureOf(store.stat(at('a'))), ObjectMissing)
      assert.isEmpty(await keysLeft())
      end()
      assert.equal(await putting, 9 * MIB)
      assert.deepEqual(await keysLeft(), ['a'])
      assert.isEmpty(await unfinishedKeys())
    })

    test(
      'a source that fails with {code} after {size} bytes leaves nothing, and its failure is reported'
    )
      .with([
        { size: 0, code: 'ECONNRESET' },
        { size: 100, code: 'ENOENT' },
        { size: 8 * MIB, code: 'ECONNRESET' },
        { size: 19 * MIB, code: 'ENOENT' },
      ])
      .run(async ({ assert }, { size, code }) => {
        const broken = Object.assign(new Error('The client is gone'), { code })
        const failure = await failureOf(
          store.put(at('a'), failingAfter(bytes.subarray(0, size), broken))
        )
        assert.strictEqual(failure, broken)
        assert.isEmpty(await keysLeft())
        assert.isEmpty(await unfinishedKeys())
      })

    test('a write that is abandoned while its source is silent ends at once and leaves nothing', async ({
      assert,
    }) => {
      const abort = new AbortController()
      const { source, send } = pushed()
      const putting = failureOf(store.put(at('a'), source, { signal: abort.signal }))
      await send(bytes.subarray(0, 9 * MIB))
      const took = stopwatch()
      abort.abort(new Error('Enough'))
      assert.equal((await putting)?.message, 'Enough')
      assert.isBelow(took(), 2_000)
      assert.isEmpty(await keysLeft())
      assert.isEmpty(await unfinishedKeys())
    }).retry(2)

    test('a write that was abandoned before its start does not start', async ({ assert }) => {
      const signal = AbortSignal.abort(new Error('Too late'))
      const failure = await failureOf(store.put(at('a'), chunksOf(bytes), { signal }))
      assert.equal(failure?.message, 'Too late')
      assert.isEmpty(await keysLeft())
    })

    test('what is being stored is known by its key, and is gone when it is discarded', async ({
      assert,
    }) => {
      const { source, send, end } = pushed()
      const putting = failureOf(store.put(at('a/b'), source))
      await send(bytes.subarray(0, 9 * MIB))
      await eventually(async () => (await unfinishedKeys()).length > 0)
      assert.isEmpty(await keysOf(store.unfinished(container, 'b')))
      const [unfinished] = await Array.fromAsync(store.unfinished(container, 'a/'))
      assert.equal(unfinished?.key, 'a/b')
      assert.closeTo(unfinished!.startedAt.getTime(), Date.now(), 60_000)
      await unfinished!.discard()
      await unfinished!.discard()
      end()
      assert.instanceOf(await putting, PutInterrupted)
      assert.isEmpty(await keysLeft())
      assert.isEmpty(await unfinishedKeys())
    })

    test('a container goes only when it is empty, and may go and be made twice', async ({
      assert,
    }) => {
      await store.makeContainer(container)
      await store.put(at('a'), chunksOf(bytes.subarray(0, 1)))
      assert.instanceOf(await failureOf(store.removeContainer(container)), ContainerNotEmpty)
      assert.deepEqual(await keysLeft(), ['a'])
      await store.delete(at('a'))
      await store.removeContainer(container)
      await store.removeContainer(container)
      await store.makeContainer(container)
    })

    test('a container takes what is being stored in it along', async ({ assert }) => {
      const { source, send, end } = pushed()
      const putting = failureOf(store.put(at('a'), source))
      await send(bytes.subarray(0, 9 * MIB))
      await eventually(async () => (await unfinishedKeys()).length > 0)
      await store.removeContainer(container)
      end()
      assert.exists(await putting)
      assert.isEmpty(await keysLeft())
    })

    test('a reader that stops early disturbs no other', async ({ assert }) => {
      await store.put(at('a'), chunksOf(bytes))
      for (let round = 0; round < 20; round++) {
        const stream = await store.read(at('a'))
        for await (const chunk of stream) {
          if (chunk) {
            break
          }
        }
        await eventually(() => stream.destroyed)
      }
      assert.equal(digest(await buffer(await store.read(at('a')))), digest(bytes))
    })

    test('uploads that are abandoned anywhere leave nothing', async ({ assert }) => {
      const uploads = Array.from({ length: 40 * ROUNDS }, (_, n) => `given-up-${n}`)
      let completed = 0
      await inTurns(8, uploads, async (key) => {
        const signal = AbortSignal.timeout(Math.floor(Math.random() * 300))
        const size = Math.floor(Math.random() * 20 * MIB)
        const putting = store.put(at(key), chunksOf(bytes.subarray(0, size), 2), { signal })
        if (!(await failureOf(putting))) {
          completed++
        }
      })
      assert.isBelow(completed, uploads.length)
      assert.lengthOf(await keysLeft(), completed)
      assert.isEmpty(await unfinishedKeys())
    }).timeout(300_000)

    test('many large uploads at once succeed', async ({ assert }) => {
      const keys = Array.from({ length: 20 * ROUNDS }, (_, n) => `parallel-${n}`)
      await Promise.all(keys.map((key) => store.put(at(key), chunksOf(bytes))))
      const sizes = (await Array.fromAsync(store.list(container))).map(({ size }) => size)
      assert.deepEqual(
        sizes,
        keys.map(() => bytes.length)
      )
      const last = await buffer(await store.read(at(keys.at(-1)!)))
      assert.equal(digest(last), digest(bytes))
    }).timeout(600_000)

    test('uploads whose clients send nothing do not hold up the others', async ({ assert }) => {
      const abort = new AbortController()
      const stalled = Array.from({ length: 40 }, async (_, n) => {
        const { source, send } = pushed()
        const { signal } = abort
        const putting = failureOf(store.put(at(`stalled-${n}`), source, { signal }))
        await Promise.race([
          send(bytes.subarray(0, 4 * MIB)),
          realTime(1_000, 'a store that waits for a turn takes nothing'),
        ])
        return putting
      })
      await realTime(1_500, 'a store may take what it has room for')
      assert.equal(await store.put(at('a'), chunksOf(bytes)), bytes.length)
      abort.abort(new Error('Enough'))
      await Promise.all(stalled)
      assert.deepEqual(await keysLeft(), ['a'])
    }).timeout(60_000)

    test('the store names that could mean another place are refused', async ({ assert }) => {
      const bad = [
        '',
        '.',
        '..',
        '../a',
        'a/../b',
        '/a',
        'a/',
        'a//b',
        'a/./b',
        'a/.b',
        '.a',
        'a%b',
      ]
      const worse = ['a\0', 'a\\b', 'ä', 'a b', 'a\n', 'x'.repeat(161)]
      for (const key of [...bad, ...worse]) {
        await refused(at(key))
      }
      for (const folder of [
        '..',
        'a',
        'A'.repeat(5),
        'a/b',
        'a..b',
        '.ab',
        'abc.',
        'x'.repeat(64),
      ]) {
        await refused({ container: folder, key: 'a' })
        assert.instanceOf(await failureOf(store.makeContainer(folder)), UnsafeObjectName)
        assert.instanceOf(await failureOf(store.removeContainer(folder)), UnsafeObjectName)
      }

      async function refused(address: ObjectAddress) {
        const calls = [
          store.put(address, chunksOf(bytes)),
          store.read(address),
          store.readSmall([{ address, size: 1 }]),
          store.stat(address),
          store.delete(address),
        ]
        for (const call of calls) {
          assert.instanceOf(await failureOf(call), UnsafeObjectName)
        }
      }
    })
  })
}

/** What a promise is rejected with; undefined where it is not. */
export async function failureOf(promise: Promise<unknown>): Promise<Error | undefined> {
  return promise.then(
    () => undefined,
    (error: Error) => error
  )
}

/** Bytes in the pieces a client sends them in, with a rest now and then where that is asked for. */
export async function* chunksOf(bytes: Uint8Array, restMs?: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK) {
    yield bytes.subarray(start, start + CHUNK)
    if (restMs === undefined) {
      await turn()
    } else {
      await realTime(restMs, 'a client has a pace of its own')
    }
  }
}

/** A source that gets its bytes from outside; `send` resolves when they were taken. */
export function pushed() {
  const chunks: Uint8Array[] = []
  let isEnded = false
  let wake = () => {}
  let taken = () => {}
  async function* generate(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = chunks.shift()
      if (next) {
        yield next
      } else if (isEnded) {
        return
      } else {
        taken()
        await new Promise<void>((resolve) => (wake = resolve))
      }
    }
  }
  return {
    source: generate(),
    send: async (bytes: Uint8Array) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      taken = resolve
      for (let start = 0; start < bytes.length; start += CHUNK) {
        chunks.push(bytes.subarray(start, start + CHUNK))
      }
      wake()
      await promise
    },
    end: () => {
      isEnded = true
      wake()
    },
  }
}

/** Calls for each item, so many at once. */
export async function inTurns<T>(
  atOnce: number,
  items: readonly T[],
  call: (item: T) => Promise<void>
): Promise<void> {
  const rest = [...items]
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await call(item)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function* failingAfter(bytes: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield* chunksOf(bytes)
  throw error
}

async function* cutInto(bytes: Uint8Array, sizes: number[]): AsyncGenerator<Uint8Array> {
  let start = 0
  for (const size of sizes) {
    yield bytes.subarray(start, (start += size))
  }
}

async function keysOf(objects: AsyncIterable<{ key: string }>): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of objects) {
    keys.push(key)
  }
  return keys
}
