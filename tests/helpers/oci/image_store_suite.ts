import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { appendLayers } from '#oci/append_layers'
import { digestOf } from '#oci/verified_bytes'
import { bytesOfImage, copyImage } from '#oci/copy_image'
import {
  BlobMissing,
  DigestMismatch,
  ImageMissing,
  ImageNameInvalid,
  LayerEntryInvalid,
  PlatformMissing,
} from '#oci/errors'
import type { BlobAddress, ImageStore } from '#oci/image_store'
import { parseManifest, type ImageManifest } from '#oci/manifest'
import { platformImage } from '#oci/platform_image'
import { layerEntries } from '#oci/tar/layer_entries'
import { writeLayer } from '#oci/write_layer'
import { bytesOf, filesOf, chunksOf, putImage, putIndex, putStatement } from './images.js'
import { failureOf } from '#tests/helpers/storage/object_store_suite'

const MIB = 1024 ** 2

export interface StoreSetup {
  readonly store: ImageStore
  /** The number of unfinished uploads or drafts. */
  readonly unfinished: () => Promise<number>
  readonly cleanup: () => Promise<void>
}

let drawn = 0
/** Each test has its own repositories. */
const newRepository = (): string => `suite/case-${process.pid}-${drawn++}`

/** Tests that every image store must pass. */
export function imageStoreSuite(name: string, setUp: () => Promise<StoreSetup>): void {
  test.group(name, (group) => {
    let store: ImageStore
    let unfinished: StoreSetup['unfinished']
    let repository: string

    group.setup(async () => {
      const setup = await setUp()
      store = setup.store
      unfinished = setup.unfinished
      return setup.cleanup
    })
    group.each.setup(() => {
      repository = newRepository()
    })
    group.each.timeout(60_000)

    test('a blob of {size} bytes is read as it was written')
      .with([0, 1, 65_536, 8 * MIB, 8 * MIB + 1, 20 * MIB + 17].map((size) => ({ size })))
      .run(async ({ assert }, { size }) => {
        const bytes = randomBytes(size)
        const digest = digestOf(bytes)
        assert.isFalse(await store.hasBlob(repository, digest))
        assert.deepEqual(await store.writeBlob(repository, chunksOf(bytes)), { digest, size })
        assert.isTrue(await store.hasBlob(repository, digest))
        const read = await bytesOf(store.readBlob(repository, { digest, size }))
        assert.isTrue(read.equals(bytes))
        assert.equal(await unfinished(), 0)
      })

    test('a blob is reported when its {size} bytes were read')
      .with([{ size: 0 }, { size: 9 * MIB }])
      .run(async ({ assert }, { size }) => {
        const reported: BlobAddress[] = []
        const onRead = (blob: BlobAddress) => void reported.push(blob)
        const bytes = randomBytes(size)
        const written = await store.writeBlob(repository, chunksOf(bytes), { onRead })
        assert.deepEqual(reported, [written])
        const expected = { digest: digestOf(randomBytes(8)), onRead }
        await failureOf(store.writeBlob(repository, chunksOf(bytes), expected))
        assert.lengthOf(reported, 1)
      })

    test('bytes with another digest or size are rejected and leave nothing', async ({ assert }) => {
      const bytes = randomBytes(9 * MIB)
      const { digest } = { digest: digestOf(randomBytes(8)) }
      for (const expected of [{ digest }, { size: bytes.length - 1 }, { size: bytes.length + 1 }]) {
        const failure = await failureOf(store.writeBlob(repository, chunksOf(bytes), expected))
        assert.instanceOf(failure, DigestMismatch)
      }
      assert.isFalse(await store.hasBlob(repository, digestOf(bytes)))
      assert.equal(await unfinished(), 0)
    })

    test('a source that fails after {size} bytes leaves nothing, and its error is passed on')
      .with([{ size: 0 }, { size: 70_000 }, { size: 19 * MIB }])
      .run(async ({ assert }, { size }) => {
        const broken = Object.assign(new Error('The source is gone'), {
          code: 'ECONNRESET',
          syscall: 'read',
        })
        async function* failing() {
          yield* chunksOf(randomBytes(size))
          throw broken
        }
        assert.strictEqual(await failureOf(store.writeBlob(repository, failing())), broken)
        assert.equal(await unfinished(), 0)
      })

    test('an aborted job ends at once, even if its source is silent, and leaves nothing', async ({
      assert,
    }) => {
      const stop = new AbortController()
      const silent = Promise.withResolvers<void>()
      async function* source() {
        yield* chunksOf(randomBytes(9 * MIB))
        silent.resolve()
        await new Promise(() => {})
      }
      const writing = failureOf(store.within(stop.signal).writeBlob(repository, source()))
      await silent.promise
      stop.abort(new Error('Enough'))
      assert.equal((await writing)?.message, 'Enough')
      assert.equal(await unfinished(), 0)
      const late = store.within(stop.signal)
      const calls = [
        late.manifest(repository, 'latest'),
        late.hasBlob(repository, digestOf(randomBytes(1))),
        late.tags(repository),
      ]
      for (const call of calls) {
        assert.equal((await failureOf(call))?.message, 'Enough')
      }
    })

    test('prepared uploads are used like others, and leave nothing if unused', async ({
      assert,
    }) => {
      const expected = store.prepareUploads(repository, 3)
      const small = randomBytes(10)
      const large = randomBytes(9 * MIB)
      for (const bytes of [small, large]) {
        const written = await store.writeBlob(repository, chunksOf(bytes))
        assert.deepEqual(written, { digest: digestOf(bytes), size: bytes.length })
      }
      await expected.release()
      await expected.release()
      assert.equal(await unfinished(), 0)
      const [another, never] = [1, 2].map((count) => store.prepareUploads(repository, count))
      await never!.release()
      await store.writeBlob(repository, chunksOf(randomBytes(10)))
      await another!.release()
      assert.equal(await unfinished(), 0)
    })

    test('a missing image is reported as missing, and can be removed', async ({ assert }) => {
      const digest = digestOf(randomBytes(9))
      assert.isUndefined(await store.manifest(repository, 'latest'))
      assert.isUndefined(await store.manifest(repository, digest))
      assert.isEmpty(await store.tags(repository))
      assert.isEmpty(await store.referrers(repository, digest))
      await store.removeManifest(repository, digest)
      const reading = bytesOf(store.readBlob(repository, { digest, size: 1 }))
      assert.instanceOf(await failureOf(reading), BlobMissing)
      const from = { store, repository, reference: 'latest' }
      assert.instanceOf(await failureOf(copyImage(from, { store, repository })), ImageMissing)
    })

    test('an image of the {family} family is found by its tags and its digest, byte by byte')
      .with([{ family: 'oci' }, { family: 'docker' }] as const)
      .run(async ({ assert }, { family }) => {
        const image = await putImage(store, repository, { family, tag: 'latest' })
        await store.putManifest(repository, image, 'v1.2_3-x')
        for (const reference of ['latest', 'v1.2_3-x', image.digest]) {
          assert.deepEqual(await store.manifest(repository, reference), image)
        }
        assert.sameMembers([...(await store.tags(repository))], ['latest', 'v1.2_3-x'])
        assert.equal(parseManifest(image).family, family)
        const other = await putImage(store, repository, { files: { a: 'b' }, tag: 'latest' })
        assert.deepEqual(await store.manifest(repository, 'latest'), other)
        assert.deepEqual(await store.manifest(repository, 'v1.2_3-x'), image)
      })

    test('a manifest with missing parts is rejected', async ({ assert }) => {
      const image = await putImage(store, repository)
      const elsewhere = newRepository()
      const { layers } = parseManifest(image) as ImageManifest
      const bytes = Buffer.from(
        image.bytes.toString().replaceAll(layers[0]!.digest, digestOf(randomBytes(3)))
      )
      const broken = { ...image, bytes, digest: digestOf(bytes) }
      assert.instanceOf(await failureOf(store.putManifest(elsewhere, broken, 'a')), BlobMissing)
      assert.isUndefined(await store.manifest(elsewhere, 'a'))
    })

    test('an image is removed with its tags, and others stay', async ({ assert }) => {
      const image = await putImage(store, repository, { tag: 'a' })
      const other = await putImage(store, repository, { files: { b: '' }, tag: 'b' })
      await store.removeManifest(repository, image.digest)
      assert.isUndefined(await store.manifest(repository, image.digest))
      assert.isUndefined(await store.manifest(repository, 'a'))
      assert.deepEqual(await store.manifest(repository, 'b'), other)
    })

    test('a blob is mounted into another repository, but not if it is missing', async ({
      assert,
    }) => {
      const bytes = randomBytes(3 * MIB)
      const { digest, size } = await store.writeBlob(repository, chunksOf(bytes))
      const target = newRepository()
      assert.isTrue(await store.mountBlob(target, digest, repository))
      assert.isTrue((await bytesOf(store.readBlob(target, { digest, size }))).equals(bytes))
      assert.isFalse(await store.mountBlob(target, digestOf(randomBytes(4)), repository))
      assert.equal(await unfinished(), 0)
    })

    test('referrers are listed, copied, and removed', async ({ assert }) => {
      const image = await putImage(store, repository, { tag: 'latest' })
      const referrers = []
      for (const type of ['application/vnd.example.one', 'application/vnd.example.two']) {
        referrers.push(await putStatement(store, repository, image, type))
      }
      const listed = async (where: string) => {
        const found = await store.referrers(where, image.digest)
        return found.map(({ digest, artifactType }) => ({ digest, artifactType }))
      }
      const expected = [
        { digest: referrers[0]!.digest, artifactType: 'application/vnd.example.one' },
        { digest: referrers[1]!.digest, artifactType: 'application/vnd.example.two' },
      ]
      assert.sameDeepMembers(await listed(repository), expected)
      const target = newRepository()
      const to = { store, repository: target }
      const from = { store, repository, reference: 'latest' }
      await copyImage(from, to, { tag: 'latest', withReferrers: true })
      assert.sameDeepMembers(await listed(target), expected)
      await store.removeManifest(repository, referrers[0]!.digest)
      assert.sameDeepMembers(await listed(repository), expected.slice(1))
    })

    test('an index is copied with all its images under the same digests', async ({ assert }) => {
      for (const family of ['oci', 'docker'] as const) {
        const index = await putIndex(store, repository, 'latest', family)
        const target = newRepository()
        const from = { store, repository, reference: 'latest' }
        let reported = 0
        const onBytes = (bytes: number) => (reported += bytes)
        const copied = await copyImage(from, { store, repository: target }, { tag: 'x', onBytes })
        assert.deepEqual(copied, index)
        assert.deepEqual(await store.manifest(target, 'x'), index)
        assert.equal(reported, await bytesOfImage(from))
        const { config } = await platformImage(store, target, 'x')
        assert.equal(config.architecture, 'amd64')
        const sparc = { os: 'linux', architecture: 'sparc' }
        const none = failureOf(platformImage(store, target, 'x', sparc))
        assert.instanceOf(await none, PlatformMissing)
      }
    })

    test(
      'a layer on a base of the {family} family makes a reproducible image with the given command'
    )
      .with([{ family: 'oci' }, { family: 'docker' }] as const)
      .run(async ({ assert }, { family }) => {
        const from = newRepository()
        await putImage(store, from, { family, tag: 'latest' })
        const base = await platformImage(store, from, 'latest')
        const build = async (files: Record<string, string>, where: string) => {
          const entries = layerEntries(filesOf(files), 'opt/code')
          const layer = await writeLayer(store, where, entries)
          const change = { entrypoint: ['python', 'a b'], labels: { x: 'y' }, tag: 'built' }
          return appendLayers(store, where, base, [{ layer, createdBy: 'code' }], change)
        }
        const one = await build({ 'main.py': 'print()', 'a/ü': '' }, repository)
        const two = await build({ 'a/ü': '', 'main.py': 'print()' }, newRepository())
        assert.equal(one.digest, two.digest)
        const built = await platformImage(store, repository, 'built')
        assert.equal(built.stored.digest, one.digest)
        assert.equal(built.manifest.family, family)
        assert.lengthOf(built.manifest.layers, 2)
        assert.lengthOf(built.config.diffIds, 2)
        const { config, author, created, history } = built.config.content as Record<string, any>
        assert.deepEqual(config, {
          Env: ['PATH=/bin'],
          Entrypoint: ['python', 'a b'],
          Labels: { kept: 'yes', x: 'y' },
        })
        assert.equal(author, 'somebody')
        assert.equal(created, '2020-01-02T03:04:05Z')
        assert.lengthOf(history, 2)
        assert.equal(one.os, 'linux')
      })

    test('a file with other content than announced fails its layer and leaves nothing', async ({
      assert,
    }) => {
      for (const size of [3, 5]) {
        const [file] = filesOf({ a: 'four' })
        const entries = layerEntries([{ ...file!, size }])
        const failure = await failureOf(writeLayer(store, repository, entries))
        assert.instanceOf(failure, LayerEntryInvalid)
      }
      assert.equal(await unfinished(), 0)
    })

    test('invalid names are rejected', async ({ assert }) => {
      const digest = digestOf(randomBytes(1))
      for (const bad of ['', 'A', 'a//b', '/a', 'a/', '../a', 'a b', 'a:b', 'ä', 'a'.repeat(256)]) {
        assert.instanceOf(await failureOf(store.hasBlob(bad, digest)), ImageNameInvalid)
        assert.instanceOf(await failureOf(store.manifest(bad, 'latest')), ImageNameInvalid)
      }
      for (const bad of ['', '.', '..', 'a/b', 'sha256:../../x', 'ä', 'a'.repeat(129)]) {
        assert.instanceOf(await failureOf(store.manifest(repository, bad)), ImageNameInvalid)
      }
    })
  })
}
