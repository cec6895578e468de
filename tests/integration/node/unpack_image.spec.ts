import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'

import { test } from '@japa/runner'

import { newId } from '#kernel/new_id'
import { ImageRejected } from '#node/errors'
import { unpackImage } from '#node/images/unpack_image'
import type { UnpackLimits } from '#node/images/unpack_layers'
import { DigestMismatch } from '#oci/errors'
import type { ImageStore } from '#oci/image_store'
import { blobPath } from '#oci/layout_paths'
import { MEDIA_TYPES } from '#oci/media_types'
import { openImageStore } from '#oci/open_image_store'
import { parseManifest, type ImageManifest } from '#oci/manifest'
import { platformImage } from '#oci/platform_image'
import { longNamed, tar, type TarEntry } from '#tests/helpers/core/master_images/tarball'
import { gzipLayer, putLayers, type LayerDraft } from '#tests/helpers/node/layered_image'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const LIMITS: UnpackLimits = { maxBytes: 10 * 1024 ** 2, maxEntries: 1000 }
const architecture = process.arch === 'x64' ? 'amd64' : process.arch

test.group('Unpacking an image', (group) => {
  let folder: string
  let store: ImageStore
  const cleanups: (() => Promise<void>)[] = []

  group.each.setup(async () => {
    folder = await temporaryFolder((callback) => cleanups.push(callback))
    store = await openImageStore({ path: join(folder, 'images') })
    return async () => {
      await Promise.all(cleanups.splice(0).map((callback) => callback()))
    }
  })

  const unpackDrafts = async (layers: readonly LayerDraft[], options = {}, limits = LIMITS) => {
    const { digest } = await putLayers(store, layers, options)
    const image = await platformImage(store, 'image', digest, { os: 'linux', architecture })
    const root = join(folder, newId())
    await unpackImage(store, image, root, limits)
    return root
  }
  const unpack = (...layers: (readonly TarEntry[])[]) => unpackDrafts(layers.map(gzipLayer))
  const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8')

  test('layers are applied in order, with files, folders, links and modes', async ({ assert }) => {
    const root = await unpack(
      [
        { name: './usr/', type: '5', mode: 0o700 },
        { name: 'usr/bin/tool', content: 'old', mode: 0o4755 },
        { name: 'usr/bin/other', type: '1', link: 'usr/bin/tool' },
        { name: 'bin', type: '2', link: 'usr/bin' },
        { name: 'secret', content: 'x', mode: 0o600 },
      ],
      [
        { name: 'bin/tool', content: 'new', mode: 0o6711 },
        { name: 'etc/deep/er', content: 'y' },
      ]
    )

    assert.equal(read(root, 'usr/bin/tool'), 'new')
    assert.equal(read(root, 'usr/bin/other'), 'old')
    assert.equal(readlinkSync(join(root, 'bin')), 'usr/bin')
    assert.equal(lstatSync(join(root, 'usr/bin/tool')).mode & 0o7777, 0o755)
    assert.equal(lstatSync(join(root, 'usr/bin/other')).mode & 0o7777, 0o755)
    assert.equal(lstatSync(join(root, 'secret')).mode & 0o7777, 0o644)
    assert.equal(lstatSync(join(root, 'usr')).mode & 0o7777, 0o755)
    assert.equal(read(root, 'etc/deep/er'), 'y')
  })

  test('whiteouts hide what lower layers have, and nothing of their own layer', async ({
    assert,
  }) => {
    const root = await unpack(
      [
        { name: 'a/one', content: '1' },
        { name: 'a/two', content: '2' },
        { name: 'b/old', content: '3' },
        { name: 'b/sub/old', content: '4' },
        { name: 'c/file', content: '5' },
      ],
      [
        { name: 'a/.wh.one' },
        { name: 'b/new', content: 'n' },
        { name: 'b/sub/new', content: 'n' },
        { name: 'b/.wh..wh..opq' },
        { name: 'c/.wh.missing' },
        { name: 'c/kept', content: 'k' },
        { name: '.wh.c' },
      ]
    )

    assert.sameMembers(readdirSync(join(root, 'a')), ['two'])
    assert.sameMembers(readdirSync(join(root, 'b')), ['new', 'sub'])
    assert.sameMembers(readdirSync(join(root, 'b/sub')), ['new'])
    assert.sameMembers(readdirSync(join(root, 'c')), ['kept'])
  })

  test('layers are plain, gzipped or zstandard', async ({ assert }) => {
    const plain = (name: string) => tar([{ name, content: name }])
    const type = (suffix: string) => `application/vnd.oci.image.layer.v1.tar${suffix}`
    const root = await unpackDrafts([
      { tar: plain('one'), compressed: plain('one'), mediaType: type('') },
      { tar: plain('two'), compressed: gzipSync(plain('two')), mediaType: type('+gzip') },
      {
        tar: plain('three'),
        compressed: zstdCompressSync(plain('three')),
        mediaType: type('+zstd'),
      },
      {
        tar: plain('four'),
        compressed: gzipSync(plain('four')),
        mediaType: MEDIA_TYPES.docker.layer,
      },
    ])

    assert.includeMembers(readdirSync(root), ['one', 'two', 'three', 'four'])
  })

  test('no entry leads out of the root', async ({ assert }) => {
    const outside = join(folder, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'file'), 'untouched')
    const up = '../'.repeat(20)
    const root = await unpack(
      [
        { name: 'out', type: '2', link: outside },
        { name: 'up', type: '2', link: `${up}${outside.slice(1)}` },
        { name: 'chain', type: '2', link: 'up' },
        { name: 'file', type: '2', link: join(outside, 'file') },
      ],
      [
        { name: 'out/written', content: 'x' },
        { name: 'up/through', content: 'x' },
        { name: 'chain/chained', content: 'x' },
        { name: 'out/.wh.file' },
        { name: 'up/.wh..wh..opq' },
        { name: 'file', content: 'a file in the place of the link' },
        { name: '/absolute', content: 'x' },
      ]
    )

    assert.deepEqual(readdirSync(outside), ['file'])
    assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'untouched')
    assert.equal(read(root, 'file'), 'a file in the place of the link')
    assert.equal(read(root, 'absolute'), 'x')
    assert.includeMembers(readdirSync(join(root, outside)), ['through'])
  })

  for (const [title, entries] of Object.entries({
    'a name with two dots': [{ name: 'a/../../x', content: 'x' }],
    'a hard link to a file of the host': [{ name: 'x', type: '1', link: '/etc/hostname' }],
    'a hard link through a link to the host': [
      { name: 'etc', type: '2', link: '/etc' },
      { name: 'x', type: '1', link: 'etc/hostname' },
    ],
    'a hard link with two dots': [{ name: 'x', type: '1', link: '../../etc/hostname' }],
    'a hard link to a folder': [
      { name: 'd/', type: '5' },
      { name: 'x', type: '1', link: 'd' },
    ],
    'links in a circle': [
      { name: 'a', type: '2', link: 'b' },
      { name: 'b', type: '2', link: 'a' },
      { name: 'a/x', content: 'x' },
    ],
    'a file in the place of the root': [{ name: './', content: 'x' }],
    'a whiteout of the folder above': [{ name: 'a/b/.wh...', content: '' }],
    'a whiteout without a name': [{ name: 'a/.wh.', content: '' }],
    'an entry of an unknown type': [{ name: 'x', type: 'S', content: 'x' }],
  } satisfies Record<string, TarEntry[]>)) {
    test(`an image is rejected for ${title}`, async ({ assert }) => {
      await assert.rejects(() => unpack(entries), ImageRejected)
    })
  }

  test('devices and pipes are left out', async ({ assert }) => {
    const root = await unpack([
      { name: 'dev/disk', type: '4' },
      { name: 'dev/tty', type: '3' },
      { name: 'pipe', type: '6' },
      { name: 'x', content: 'x' },
    ])

    assert.isEmpty(readdirSync(join(root, 'dev')))
    assert.isFalse(existsSync(join(root, 'pipe')))
  })

  test('the places where a container mounts are folders and files of the image', async ({
    assert,
  }) => {
    const draft = gzipLayer([
      { name: 'tmp', type: '2', link: '/etc' },
      { name: 'proc', content: 'a file' },
      { name: 'etc/hosts', type: '2', link: '/etc/passwd' },
      { name: 'etc/resolv.conf', type: '5' },
    ])
    const root = await unpackDrafts([draft], {
      config: { Entrypoint: ['/x'], WorkingDir: '/opt/code' },
    })

    for (const path of ['tmp', 'proc', 'dev', 'opt/code']) {
      assert.isTrue(lstatSync(join(root, path)).isDirectory(), path)
    }
    for (const path of ['etc/hosts', 'etc/resolv.conf']) {
      assert.isTrue(lstatSync(join(root, path)).isFile(), path)
    }
  })

  test('size and number of entries are limited, of all layers together', async ({ assert }) => {
    const bomb = gzipLayer([{ name: 'zeros', content: Buffer.alloc(9 * 1024 ** 2) }])
    const many = gzipLayer(Array.from({ length: 600 }, (_, at) => ({ name: `f${at}` })))
    const end = gzipLayer([])
    const padded = Buffer.concat([end.tar, Buffer.alloc(20 * 1024 ** 2)])

    await assert.rejects(() => unpackDrafts([bomb, bomb]), ImageRejected)
    await assert.rejects(() => unpackDrafts([many, many]), /more than/)
    await assert.rejects(
      () => unpackDrafts([{ ...end, tar: padded, compressed: gzipSync(padded) }]),
      /larger than this node accepts/
    )
  })

  test('folders that no entry states count, and none is nested deeper than a file system likes', async ({
    assert,
  }) => {
    const deep = Array.from({ length: 20 }, (_, at) =>
      longNamed(`${at}/${'d/'.repeat(100)}f`)
    ).flat()
    await assert.rejects(() => unpack(deep), /more than the files and folders/)
    const nested = longNamed(`${'d/'.repeat(300)}f`)
    await assert.rejects(() => unpack(nested), /nested deeper/)
  })

  test('an image whose working folder is in what a container mounts is rejected', async ({
    assert,
  }) => {
    const draft = gzipLayer([{ name: 'work', type: '2', link: '/proc/self/fd/3' }])
    for (const WorkingDir of ['/work', '/proc/self/fd/3', '/sys', '/dev/fd/3']) {
      const config = { Entrypoint: ['/x'], WorkingDir }
      await assert.rejects(() => unpackDrafts([draft], { config }), /working folder in/)
    }
  })

  test('the node continues its work while it unpacks', async ({ assert }) => {
    const files = Array.from({ length: 450 }, (_, at) =>
      longNamed(`${'d/'.repeat(90)}f${at}`)
    ).flat()
    const layer = gzipLayer(files)
    let turns = 0
    const counting = setInterval(() => (turns += 1), 1)
    const before = process.cpuUsage()
    await unpackDrafts([layer])
    const { user, system } = process.cpuUsage(before)
    clearInterval(counting)

    assert.isAbove(turns, 10)
    // Each of the files would take milliseconds of this process, and more on a busy machine.
    assert.isBelow((user + system) / 1000, 3 * files.length)
  })

  test('a changed, truncated or foreign layer is rejected', async ({ assert }) => {
    const layer = gzipLayer([{ name: 'x', content: 'x'.repeat(5000) }])
    const other = gzipLayer([{ name: 'y' }])
    const foreign = 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip'
    const cut = { ...layer, compressed: layer.compressed.subarray(0, -20) }

    await assert.rejects(() => unpackDrafts([{ ...layer, tar: other.tar }]), /image states/)
    await assert.rejects(() => unpackDrafts([cut]), ImageRejected)
    await assert.rejects(() => unpackDrafts([{ ...layer, mediaType: foreign }]), ImageRejected)
    await assert.rejects(() => unpackDrafts([layer], { diffIds: [] }), ImageRejected)
    await assert.rejects(() => unpackDrafts([layer], { config: {} }), /neither an entrypoint/)
  })

  test('one changed byte of a stored layer is detected', async ({ assert }) => {
    const plain = tar([{ name: 'x', content: 'content' }])
    const mediaType = 'application/vnd.oci.image.layer.v1.tar'
    const manifest = await putLayers(store, [{ tar: plain, compressed: plain, mediaType }])
    const image = await platformImage(store, 'image', manifest.digest, {
      os: 'linux',
      architecture,
    })
    const { layers } = parseManifest(manifest) as ImageManifest
    const changed = Buffer.from(plain)
    changed[512] = changed[512]! ^ 1
    writeFileSync(join(folder, 'images', blobPath(layers[0]!.digest)), changed)

    await assert.rejects(
      () => unpackImage(store, image, join(folder, newId()), LIMITS),
      DigestMismatch
    )
  })
})
