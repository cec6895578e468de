import { execFile } from 'node:child_process'
import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

import { test } from '@japa/runner'

import { exportArchive } from '#oci/archive/export_archive'
import { importArchive } from '#oci/archive/import_archive'
import { DigestMismatch, ImageArchiveInvalid, ImageFailure, ImageMissing } from '#oci/errors'
import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { putImage } from '#tests/helpers/oci/images'
import { failureOf } from '#tests/helpers/storage/object_store_suite'

const run = promisify(execFile)

test.group('Archives of images', (group) => {
  let folder: string
  let store: ImageStore
  let archive: string

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-archives-'))
    store = await openImageStore({ path: join(folder, 'images') })
    await putImage(store, 'base', { tag: 'latest' })
    archive = join(folder, 'base.tar')
    const from = { store, repository: 'base', reference: 'latest' }
    await exportArchive(from, archive, { name: 'base:latest' })
    return () => rm(folder, { recursive: true })
  })
  group.each.timeout(60_000)

  const result = (path: string, image?: string) =>
    importArchive(path, { store, repository: 'taken', tag: 'latest' }, image ? { image } : {})

  /** The error of a failed import, which must not store a name. */
  async function refusal(path: string, image?: string): Promise<Error | undefined> {
    const failure = await failureOf(result(path, image))
    if (await store.manifest('taken', 'latest')) {
      throw new Error('An image was stored')
    }
    return failure
  }

  /** A modified copy of the archive. */
  async function changed(change: (unpacked: string) => Promise<void>): Promise<string> {
    const unpacked = await mkdtemp(join(folder, 'unpacked-'))
    await run('tar', ['-C', unpacked, '-xf', archive])
    await change(unpacked)
    const path = join(folder, `changed-${Math.random()}.tar`)
    await run('tar', ['-C', unpacked, '-cf', path, '.'])
    return path
  }

  test('the same image gives the same archive, and an existing one is replaced', async ({
    assert,
  }) => {
    const first = await readFile(archive)
    const from = { store, repository: 'base', reference: 'latest' }
    await exportArchive(from, archive, { name: 'base:latest' })
    assert.isTrue(first.equals(await readFile(archive)))
    assert.notInclude(await readdir(folder), 'base.tar.part')
  })

  test('a failed export leaves no file', async ({ assert }) => {
    const path = join(folder, 'none.tar')
    const missing = { store, repository: 'base', reference: 'v2' }
    assert.instanceOf(await failureOf(exportArchive(missing, path, { name: 'a:b' })), ImageMissing)
    const from = { store, repository: 'base', reference: 'latest' }
    const nowhere = exportArchive(from, join(folder, 'no/such.tar'), { name: 'a:b' })
    assert.instanceOf(await failureOf(nowhere), ImageArchiveInvalid)
    const signal = AbortSignal.abort(new Error('Enough'))
    const stopped = await failureOf(exportArchive(from, path, { name: 'a:b', signal }))
    assert.equal(stopped?.message, 'Enough')
    assert.isEmpty((await readdir(folder)).filter((name) => /none|part/.test(name)))
  })

  test('a blob that does not match its name is rejected', async ({ assert }) => {
    const blobs = 'blobs/sha256'
    const names = await changed(async () => {}).then(() => readdir(join(folder, 'images', blobs)))
    for (const name of names) {
      const path = await changed(async (unpacked) => {
        const { size } = await stat(join(unpacked, blobs, name))
        await writeFile(join(unpacked, blobs, name), Buffer.alloc(size, 'x'))
      })
      const failure = await refusal(path)
      assert.isTrue(failure instanceof DigestMismatch || failure instanceof ImageFailure, name)
    }
  })

  test('a truncated archive is rejected, with gzip and without', async ({ assert }) => {
    const whole = await readFile(archive)
    const path = join(folder, 'cut.tar')
    for (let length = 0; length < whole.length - 1024; length += 517) {
      await writeFile(path, whole.subarray(0, length))
      assert.isTrue((await refusal(path)) instanceof ImageFailure, `${length}`)
    }
    const packed = gzipSync(whole)
    for (let length = 0; length < packed.length - 16; length += 97) {
      await writeFile(path, packed.subarray(0, length))
      assert.isTrue((await refusal(path)) instanceof ImageFailure, `${length} of gzip`)
    }
  })

  test('damaged headers do no harm', async ({ assert }) => {
    const whole = await readFile(archive)
    const path = join(folder, 'damaged.tar')
    for (let round = 0; round < 40; round++) {
      const damaged = Buffer.from(whole)
      const at = Math.floor(Math.random() * damaged.length)
      damaged[at] = damaged[at]! ^ (1 + Math.floor(Math.random() * 255))
      await writeFile(path, damaged)
      const failure = await failureOf(result(path))
      assert.isTrue(failure === undefined || failure instanceof ImageFailure, String(failure))
    }
  })

  test('other files are rejected with a helpful message', async ({ assert }) => {
    const path = join(folder, 'other')
    const files: [string | Buffer, RegExp][] = [
      ['', /not a tar/],
      ['<html>'.repeat(500), /not a tar/],
      [Buffer.from('28b52ffd0000', 'hex'), /zstd -d/],
      [Buffer.from('fd377a585a00', 'hex'), /xz -d/],
      [gzipSync('no tar'), /not a tar/],
    ]
    for (const [content, message] of files) {
      await writeFile(path, content)
      const failure = await refusal(path)
      assert.instanceOf(failure, ImageArchiveInvalid)
      assert.match(failure!.message, message)
    }
    assert.match((await refusal(join(folder, 'none')))!.message, /ENOENT/)
  })

  test('unsafe names and circular links are harmless', async ({ assert }) => {
    const path = await changed(async (unpacked) => {
      await rm(join(unpacked, 'oci-layout'))
      const listed = [{ Config: '../../../etc/passwd', RepoTags: ['a:b'], Layers: ['loop'] }]
      await writeFile(join(unpacked, 'manifest.json'), JSON.stringify(listed))
      await run('ln', ['-s', 'loop', join(unpacked, 'loop')])
    })
    assert.instanceOf(await refusal(path), ImageArchiveInvalid)
    const link = await changed(async (unpacked) => {
      await rm(join(unpacked, 'oci-layout'))
      const listed = [{ Config: 'away', RepoTags: ['a:b'], Layers: [] }]
      await writeFile(join(unpacked, 'manifest.json'), JSON.stringify(listed))
      await run('ln', ['-s', '/etc/passwd', join(unpacked, 'away')])
    })
    assert.instanceOf(await refusal(link), ImageArchiveInvalid)
  })

  test('one of several images can be chosen', async ({ assert }) => {
    const path = await changed(async (unpacked) => {
      const index = JSON.parse(await readFile(join(unpacked, 'index.json'), 'utf8'))
      const other = structuredClone(index.manifests[0])
      other.annotations['io.containerd.image.name'] = 'other:latest'
      index.manifests.push(other)
      await writeFile(join(unpacked, 'index.json'), JSON.stringify(index))
    })
    assert.match((await refusal(path))!.message, /base:latest, .*other:latest/)
    assert.match((await refusal(path, 'none:latest'))!.message, /no image none:latest/)
    await result(path, 'other:latest')
    assert.isDefined(await store.manifest('taken', 'latest'))
  })

  test('an impossible file size is rejected before reading', async ({ assert }) => {
    const path = join(folder, 'huge.tar')
    const whole = await readFile(archive)
    const at = whole.indexOf('manifest.json')
    whole.write('77777777777', at + 124)
    const block = whole.subarray(at, at + 512)
    block.fill(' ', 148, 156)
    const sum = block.reduce((total, byte) => total + byte, 0)
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    await writeFile(path, whole)
    assert.isTrue((await refusal(path)) instanceof ImageFailure)
    const file = await open(path, 'r+')
    await file.truncate(9 * 1024 ** 3)
    await file.close()
    assert.isTrue((await refusal(path)) instanceof ImageFailure)
  })
})
