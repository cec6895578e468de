import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { inspect } from 'node:util'

import { test } from '@japa/runner'

import { StorageInsufficient } from '#kernel/failures'
import { emptyLocation } from '#storage/objects/empty_location'
import { ObjectStoreUnavailable, UnknownRegion } from '#storage/objects/errors'
import { bucketLocation, objectAddress, type Layout } from '#storage/objects/layout'
import type { ObjectStore } from '#storage/objects/object_store'
import { eventually } from '#tests/helpers/eventually'
import { objectPiecesSuite } from '#tests/helpers/storage/object_pieces_suite'
import {
  chunksOf,
  failureOf,
  objectStoreSuite,
  pushed,
} from '#tests/helpers/storage/object_store_suite'
import { resumableSuite } from '#tests/helpers/storage/resumable_suite'
import { s3StoreAt, s3VariablesFor } from '#tests/helpers/storage/s3_store'
import { lentServer } from '#tests/services/servers/lent_server'
import { startRadosgw } from '#tests/services/servers/radosgw'
import type { RealServer } from '#tests/services/servers/real_server'

const MIB = 1024 ** 2
const content = randomBytes(20 * MIB)

/** Starting one takes longer than most of the tests. */
const shared = lentServer(startRadosgw, 4)

objectStoreSuite('S3, by a Ceph Object Gateway', storeOnServer)
objectPiecesSuite('S3, by a Ceph Object Gateway', storeOnServer)
resumableSuite('S3, by a Ceph Object Gateway', storeOnServer)

async function storeOnServer() {
  const { url } = await shared.borrow()
  const store = s3StoreAt(url)
  return {
    store,
    again: () => s3StoreAt(url),
    variables: s3VariablesFor(url),
    async stop() {
      store.close()
      await shared.giveBack()
    },
  }
}

test.group('Objects on an S3 server', (group) => {
  let server: RealServer
  let store: ObjectStore
  const address = { container: 'box', key: 'a' }

  group.setup(async () => {
    server = await shared.borrow()
    store = s3StoreAt(server.url)
    await store.makeContainer('box')
    return async () => {
      store.close()
      await shared.giveBack()
    }
  })

  group.each.teardown(async () => {
    await emptyLocation(store, { container: 'box', prefix: '' })
  })

  test('objects stay readable when the layout of new ones changes', async ({ assert }) => {
    const layouts: Layout[] = ['own', 'shared:box']
    const bucketIds = [
      '6b0a53b1-46de-4a0b-8d44-11f5f3a9d6cf',
      'B7C1B1F0-2B9B-4C55-9A0B-6D1D7A3A1E10',
    ]
    for (const bucketId of bucketIds) {
      for (const layout of layouts) {
        await store.makeContainer(bucketLocation(layout, bucketId).container)
        const bytes = Buffer.from(`${bucketId} ${layout}`)
        await store.put(objectAddress(layout, bucketId, 'f00d'), chunksOf(bytes))
      }
    }
    const [first, second] = bucketIds as [string, string]
    assert.equal(await emptyLocation(store, bucketLocation('shared:box', first)), 1)
    assert.equal(await emptyLocation(store, bucketLocation('own', first)), 1)
    for (const layout of layouts) {
      const stream = await store.read(objectAddress(layout, second, 'f00d'))
      assert.equal(String(await buffer(stream)), `${second} ${layout}`)
    }
    assert.equal(await emptyLocation(store, bucketLocation('own', second)), 1)
    for (const id of bucketIds) {
      await store.removeContainer(bucketLocation('own', id).container)
    }
  })

  test('objects of a server that dies while they are sent are reported as such, and found afterwards', async ({
    assert,
  }) => {
    const { source, send, end } = pushed()
    const putting = failureOf(store.put(address, source))
    await send(content.subarray(0, 9 * MIB))
    await eventually(async () => (await Array.fromAsync(store.unfinished('box'))).length > 0)
    await server.kill()
    end()
    assert.instanceOf(await putting, ObjectStoreUnavailable)
    assert.instanceOf(await failureOf(store.stat(address)), ObjectStoreUnavailable)
    assert.instanceOf(await failureOf(Array.fromAsync(store.list('box'))), ObjectStoreUnavailable)

    await server.restart()
    assert.isEmpty(await Array.fromAsync(store.list('box')))
    const left = await Array.fromAsync(store.unfinished('box'))
    assert.deepEqual(
      left.map(({ key }) => key),
      ['a']
    )
    await emptyLocation(store, { container: 'box', prefix: '' })
    assert.isEmpty(await Array.fromAsync(store.unfinished('box')))
  }).timeout(600_000)

  test('that break off while they are read do not end in good order', async ({ assert }) => {
    await store.put(address, chunksOf(content))
    const stream = await store.read(address)
    let bytes = 0
    const failure = await failureOf(
      (async () => {
        for await (const chunk of stream) {
          if (bytes === 0) {
            await server.kill()
          }
          bytes += chunk.length
        }
      })()
    )
    await server.restart()
    assert.instanceOf(failure, Error)
    assert.isBelow(bytes, content.length)
    assert.isTrue(content.equals(await buffer(await store.read(address))))
  }).timeout(600_000)

  test('objects are waited for by slow readers for as long as it takes', async ({ assert }) => {
    await store.put(address, chunksOf(content))
    const readers = Array.from({ length: 60 }, () => store.read(address))
    const streams = await Promise.all(readers)
    assert.isTrue(content.equals(await buffer(await store.read(address))))
    for (const stream of streams) {
      stream.destroy()
    }
  })

  test('objects are refused in a region that the server does not have', async ({ assert }) => {
    const failure = await failureOf(store.makeContainer('elsewhere', 'mars-north-1'))
    assert.instanceOf(failure, UnknownRegion)
    await store.makeContainer('elsewhere', 'us-east-1')
    await store.removeContainer('elsewhere')
  })

  test('objects keep their keys to themselves when something fails', async ({ assert }) => {
    const { username, password, host } = new URL(server.url)
    const others = s3StoreAt(`http://${username}:${'0'.repeat(40)}@${host}`)
    const nobody = s3StoreAt(`http://nobody:${password}@${host}`)
    for (const stranger of [others, nobody]) {
      const failure = await failureOf(stranger.put(address, chunksOf(content.subarray(0, 10))))
      assert.instanceOf(failure, Error)
      assert.notInclude(`${inspect(failure)} ${failure?.message}`, password)
      stranger.close()
    }
  })
})

test.group('Objects on an S3 server without room', (group) => {
  let server: RealServer
  let store: ObjectStore

  group.setup(async () => {
    server = await startRadosgw({ quotaBytes: 16 * MIB })
    store = s3StoreAt(server.url)
    return async () => {
      store.close()
      await server.stop()
    }
  })

  test('objects are refused as such, small and large ones, and leave nothing', async ({
    assert,
  }) => {
    await store.makeContainer('box')
    const stored: string[] = []
    for (const size of [19 * MIB, 7 * MIB]) {
      let failure: Error | undefined
      for (let n = 0; n < 4 && !failure; n++) {
        const key = `${size}-${n}`
        const bytes = content.subarray(0, size)
        failure = await failureOf(store.put({ container: 'box', key }, chunksOf(bytes)))
        if (!failure) {
          stored.push(key)
        }
      }
      assert.instanceOf(failure, StorageInsufficient)
    }
    assert.isEmpty(await Array.fromAsync(store.unfinished('box')))
    const keys = (await Array.fromAsync(store.list('box'))).map(({ key }) => key)
    assert.sameMembers(keys, stored)
  })
})
