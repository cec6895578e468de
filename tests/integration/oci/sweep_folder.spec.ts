import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { sweepFolder } from '#oci/folder/sweep_folder'
import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { bytesOf, chunksOf, putImage, putIndex, putStatement } from '#tests/helpers/oci/images'

const DAY_MS = 86_400_000

test.group('Sweeping a folder of images', (group) => {
  let folder: string
  let store: ImageStore
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-images-'))
    store = await openImageStore({ path: folder })
    return () => rm(folder, { recursive: true })
  })

  /** Makes all files two days old. */
  async function age(): Promise<void> {
    const then = new Date(Date.now() - 2 * DAY_MS)
    for (const path of await readdir(folder, { recursive: true })) {
      const file = join(folder, path)
      if ((await stat(file)).isFile()) {
        await utimes(file, then, then)
      }
    }
  }

  test('the sweep removes unreferenced blobs after a day', async ({ assert }) => {
    const removed = await putImage(store, 'gone', { files: { a: 'gone' }, tag: 'latest' })
    const content = await putStatement(store, 'gone', removed, 'application/vnd.example')
    await putImage(store, 'kept', { files: { a: 'kept' }, tag: 'latest' })
    const index = await putIndex(store, 'index', 'latest')
    await writeFile(join(folder, 'drafts', 'left-behind'), 'half of a blob')
    await store.removeManifest('gone', removed.digest)
    assert.equal((await sweepFolder(folder)).removed, 0)

    await age()
    const fresh = await store.writeBlob('new', chunksOf(Buffer.from('about to be used')))
    const swept = await sweepFolder(folder)
    assert.isAbove(swept.removed, 4)
    assert.isAbove(swept.removedBytes, 0)
    assert.isAbove(swept.keptBytes, 0)
    assert.isFalse(await store.hasBlob('gone', removed.digest))
    assert.isFalse(await store.hasBlob('gone', content.digest))
    assert.isTrue(await store.hasBlob('new', fresh.digest))
    assert.isEmpty(await readdir(join(folder, 'drafts')))
    assert.deepEqual(await store.manifest('index', 'latest'), index)
    for (const name of ['kept', 'index']) {
      const { manifest } = await platformImage(store, name, 'latest')
      await bytesOf(store.readBlob(name, manifest.layers[0]!))
    }
    assert.equal((await sweepFolder(folder)).removed, 0)
  })

  test('the sweep keeps a blob that was just requested', async ({ assert }) => {
    const { digest } = await store.writeBlob('a', chunksOf(Buffer.from('asked for')))
    await age()
    assert.isTrue(await store.mountBlob('b', digest, 'a'))
    assert.equal((await sweepFolder(folder)).removed, 0)
    await age()
    assert.equal((await sweepFolder(folder)).removed, 1)
  })
})
