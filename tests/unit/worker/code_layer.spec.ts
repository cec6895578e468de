import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'

import { test } from '@japa/runner'

import { padding, tarEnd, tarHeader } from '#kernel/tar_header'
import type { LayerFile } from '#oci/tar/layer_entries'
import { BucketTars } from '#worker/analysis_builder/bucket_tars'
import { CodeLayer } from '#worker/analysis_builder/code_layer'
import type { CodeFile } from '#worker/analysis_builder/code_files'
import { json, startPlatform } from '#tests/helpers/worker/start_platform'

const BUCKET = '6b1f0b5e-1111-4000-8000-000000000009'
const MIB = 1024 ** 2

type Answer = (response: ServerResponse) => void

/** Code in storage, and a layer of it. */
class Code {
  readonly files: (CodeFile & { readonly bytes: Buffer })[]
  readonly read = new Map<string, string>()
  /** The response to a request for the whole bucket. */
  bucket: Answer = (response) => void response.end(this.tar())

  constructor(count: number, size = 100) {
    this.files = Array.from({ length: count }, (_, n) => ({
      bucketFileId: randomUUID(),
      path: `lib/module-${String(n).padStart(3, '0')}.py`,
      size,
      sha256: undefined,
      bytes: randomBytes(size),
    }))
  }

  tar(files = this.files): Buffer {
    const entries = files.flatMap(({ path, bytes }) => [
      tarHeader({ path, size: bytes.length, modifiedAt: new Date(0) }),
      bytes,
      padding(bytes.length),
    ])
    return Buffer.concat([...entries, tarEnd()])
  }

  async layer(cleanup: (after: () => void) => void) {
    const { platform, asked: requests } = await startPlatform(({ url }, response) => {
      if (url!.includes('/buckets/')) {
        return this.bucket(response)
      }
      const file = this.files.find(({ bucketFileId }) => url!.includes(bucketFileId))
      return file ? void response.end(file.bytes) : json(response, {}, 404)
    }, cleanup)
    const code = { bucketId: BUCKET, files: this.files }
    const tars = new BucketTars(platform)
    const read = (path: string, sha256: string) => this.read.set(path, sha256)
    const layer = new CodeLayer(platform, tars, code, read)
    const wholes = () => requests.filter((path) => path.includes('/buckets/')).length
    const singles = () => requests.filter((path) => path.includes('/bucket-files/')).length
    return { layer, tars, wholes, singles }
  }

  /** Reads a layer and compares it with the code. */
  async isIn(layer: CodeLayer): Promise<boolean> {
    const found = new Map<string, Buffer>()
    for (const entry of layer.entries) {
      if ('open' in entry) {
        found.set(entry.path, await bytesOf(entry))
      }
    }
    await layer.close()
    return this.files.every(
      ({ path, bytes }) =>
        found.get(`opt/code/${path}`)?.equals(bytes) &&
        this.read.get(path) === hash('sha256', bytes)
    )
  }
}

const bytesOf = async (file: LayerFile) => {
  const opened = await file.open()
  return Buffer.concat(opened instanceof Uint8Array ? [opened] : await Array.fromAsync(opened))
}

test.group('The files of a layer', () => {
  test('files are read with one request, in any order', async ({ assert, cleanup }) => {
    const code = new Code(50)
    code.bucket = (response) => void response.end(code.tar(code.files.toReversed()))
    const { layer, wholes, singles } = await code.layer(cleanup)
    assert.isTrue(await code.isIn(layer))
    assert.deepEqual([wholes(), singles()], [1, 0])
  })

  test('files are read again if the layer is resent', async ({ assert, cleanup }) => {
    const code = new Code(20)
    const { layer, wholes, singles } = await code.layer(cleanup)
    const [, , , first, second] = layer.entries as LayerFile[]
    await bytesOf(first!)
    await bytesOf(second!)
    assert.isTrue(await code.isIn(layer))
    assert.deepEqual([wholes(), singles()], [2, 0])
  })

  test('files are read with the prefetched request', async ({ assert, cleanup }) => {
    const code = new Code(20)
    const { layer, tars, wholes, singles } = await code.layer(cleanup)
    tars.prefetch(BUCKET)
    assert.isTrue(await code.isIn(layer))
    assert.deepEqual([wholes(), singles()], [1, 0])
  })

  test('files release a prefetch they do not use', async ({ assert, cleanup }) => {
    const code = new Code(9, 2 * MIB)
    const requests = Promise.withResolvers<void>()
    const removed = Promise.withResolvers<void>()
    code.bucket = (response) => {
      response.on('close', () => removed.resolve())
      response.write(code.tar().subarray(0, 1_000))
      requests.resolve()
    }
    const { layer, tars, singles } = await code.layer(cleanup)
    tars.prefetch(BUCKET)
    await requests.promise
    assert.isTrue(await code.isIn(layer))
    await removed.promise
    assert.equal(singles(), 9)
  })

  test('files are rejected if they do not match their digests', async ({ assert, cleanup }) => {
    const code = new Code(20)
    const digests = code.files.map((file) => ({ ...file, sha256: hash('sha256', file.bytes) }))
    code.files.splice(0, code.files.length, ...digests)
    code.files[3]!.bytes.fill('x')
    const { layer } = await code.layer(cleanup)
    await assert.rejects(
      () => code.isIn(layer),
      '"lib/module-003.py" differs from the stored digest'
    )
  })

  const half = (code: Code) => code.tar().subarray(0, 10 * 1_024 + 700)
  test('files are read one by one if {what}')
    .with([
      { what: 'there is no stream of a bucket', answer: () => (r) => json(r, {}, 404) },
      { what: 'storage cannot make one', answer: () => (r) => json(r, {}, 500) },
      { what: 'nobody may have it', answer: () => (r) => json(r, {}, 403) },
      { what: 'it is something else', answer: () => (r) => void r.end('<h1>Welcome</h1>') },
      { what: 'it ends too early', answer: (code) => (r) => void r.end(half(code)) },
      {
        what: 'it breaks off',
        answer: (code) => (r) => void r.write(half(code), () => r.destroy()),
      },
      {
        what: 'files are missing in it',
        answer: (code) => (r) => void r.end(code.tar(code.files.slice(0, 5))),
      },
      {
        what: 'files have other sizes in it',
        answer: (code) => (r) =>
          void r.end(code.tar(code.files.map((file) => ({ ...file, bytes: randomBytes(7) })))),
      },
    ] as { what: string; answer: (code: Code) => Answer }[])
    .run(async ({ assert, cleanup }, { answer }) => {
      const code = new Code(20)
      code.bucket = answer(code)
      const { layer, wholes, singles } = await code.layer(cleanup)
      assert.isTrue(await code.isIn(layer))
      assert.equal(wholes(), 1)
      assert.isAtLeast(singles(), 5)
      assert.isAtMost(singles(), 20)
    })

  test('files are read one by one if there are few, or a large one', async ({
    assert,
    cleanup,
  }) => {
    const few = new Code(3)
    const large = new Code(10)
    large.files.push({ ...large.files[0]!, path: 'x', size: 2 * MIB, bytes: randomBytes(2 * MIB) })
    large.files[10] = { ...large.files[10]!, bucketFileId: randomUUID() }
    for (const code of [few, large]) {
      const { layer, wholes, singles } = await code.layer(cleanup)
      assert.isTrue(await code.isIn(layer))
      assert.deepEqual([wholes(), singles()], [0, code.files.length])
    }
  })

  test('files are not buffered beyond the limit', async ({ assert, cleanup }) => {
    const code = new Code(24, MIB)
    code.bucket = (response) => void response.end(code.tar(code.files.toReversed()))
    const { layer, singles } = await code.layer(cleanup)
    assert.isTrue(await code.isIn(layer))
    assert.isAtLeast(singles(), 8)
  })

  test('files fail the layer if one differs from its digest', async ({ assert, cleanup }) => {
    const code = new Code(20)
    code.bucket = (response) => json(response, {}, 404)
    const { layer } = await code.layer(cleanup)
    code.files[4] = { ...code.files[4]!, bytes: randomBytes(120) }
    await assert.rejects(() => code.isIn(layer), /module-004.py" differs from the stored digest/)
  })
})
