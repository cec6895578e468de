import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Code, type Finding } from '#doctor/finding'
import { reasonOf } from '#doctor/reason'
import { bucketLocation, currentLayout } from '#storage/objects/layout'
import type { ObjectAddress, ObjectStore } from '#storage/objects/object_store'
import { openObjectStore } from '#storage/objects/open_object_store'

const SIZE = 64 * 1024
const RANGE = { start: 1_000, end: 1_999 }
/** The driver retries for longer than the doctor waits. */
const TIMEOUT_MS = 8_000
/** The first part is larger than the minimum part size of S3. */
const PART_SIZES = [6 * 1024 * 1024, 1_024]

/** Stores, reads, uploads in parts and deletes objects in a temporary location. */
export const objectStoreCheck: Check = {
  name: 'object store',
  async run({ env, surfaces }) {
    if (!surfaces.includes('storage')) {
      return NOT_USED
    }
    const store = await openObjectStore(env)
    const layout = currentLayout(env)
    const { container, prefix } = bucketLocation(layout, `doctor-${randomUUID()}`)
    try {
      await withTimeout(store.makeContainer(container))
    } catch (error) {
      store.close()
      return [finding('OBJECTS_UNREACHABLE', reasonOf(error))]
    }
    try {
      return await probe(store, (name) => ({ container, key: prefix + name }))
    } finally {
      if (layout === 'own') {
        await store.removeContainer(container).catch(() => {})
      }
      store.close()
    }
  },
}

async function withTimeout(operation: Promise<void>): Promise<void> {
  const stop = new AbortController()
  const late = delay(TIMEOUT_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`no response within ${TIMEOUT_MS / 1_000} s`)
  })
  try {
    await Promise.race([operation, late])
  } finally {
    late.catch(() => {})
    stop.abort()
    operation.catch(() => {})
  }
}

async function probe(
  store: ObjectStore,
  at: (name: string) => ObjectAddress
): Promise<readonly Finding[]> {
  const content = randomBytes(SIZE)
  const put = await attempt('OBJECTS_UNREACHABLE', async () => {
    await store.put(at('whole'), inChunks(content), { expectedBytes: SIZE })
  })
  if (put.length > 0) {
    return put
  }
  return [
    ...(await attempt('OBJECTS_CHANGED', () => requireSame(store, at('whole'), content))),
    ...(await attempt('OBJECTS_NO_RANGES', () => requireRange(store, at('whole'), content))),
    ...(await attempt('OBJECTS_NO_PIECES', () => requireParts(store, at('pieces')))),
    ...(await attempt('OBJECTS_NOT_DELETED', () => requireDeletion(store, at))),
  ]
}

async function attempt(code: Code, step: () => Promise<void>): Promise<Finding[]> {
  try {
    await step()
    return []
  } catch (error) {
    return [finding(code, reasonOf(error))]
  }
}

async function requireSame(store: ObjectStore, address: ObjectAddress, content: Buffer) {
  if (!content.equals(await buffer(await store.read(address)))) {
    throw new Error('the bytes read differ from those stored')
  }
}

async function requireRange(store: ObjectStore, address: ObjectAddress, content: Buffer) {
  const part = await buffer(await store.read(address, RANGE))
  if (!part.equals(content.subarray(RANGE.start, RANGE.end + 1))) {
    throw new Error(`received ${part.length} bytes instead of 1000`)
  }
}

async function requireParts(store: ObjectStore, address: ObjectAddress) {
  const size = PART_SIZES.reduce((sum, each) => sum + each, 0)
  let partial = await store.startUpload(address, { expectedBytes: size })
  try {
    for (const length of PART_SIZES) {
      partial = await store.append(address, partial, inChunks(Buffer.alloc(length)), {
        expectedBytes: length,
      })
    }
    await store.complete(address, partial)
  } catch (error) {
    await store.discard(address, partial).catch(() => {})
    throw error
  }
  const { size: stored } = await store.stat(address)
  if (stored !== size) {
    throw new Error(`${stored} of ${size} bytes are stored`)
  }
}

async function requireDeletion(store: ObjectStore, at: (name: string) => ObjectAddress) {
  await store.delete(at('pieces'))
  await store.delete(at('whole'))
  const isThere = await store.stat(at('whole')).then(
    () => true,
    () => false
  )
  if (isThere) {
    throw new Error('a deleted object still exists')
  }
}

async function* inChunks(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += SIZE) {
    yield Buffer.from(content.subarray(at, at + SIZE))
  }
}
