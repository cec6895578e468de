import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { appendLayers } from '#oci/append_layers'
import { exportArchive } from '#oci/archive/export_archive'
import { importArchive } from '#oci/archive/import_archive'
import type { ImageStore } from '#oci/image_store'
import type { Family } from '#oci/media_types'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { layerEntries } from '#oci/tar/layer_entries'
import { writeLayer } from '#oci/write_layer'
import { bytesOf, filesOf, putImage, putIndex } from '#tests/helpers/oci/images'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)
const BUSYBOX = '/bin/busybox'
const NAMES = ['main.py', 'a b/ü', `${'long/'.repeat(60)}name`, "it's", 'new\nline', '日本', '-rf']

test.group('Archives and other programs', (group) => {
  let folder: string
  let images: string
  let store: ImageStore

  group.setup(() => ensurePackages(PACKAGES.imageTools))
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-archives-'))
    images = join(folder, 'images')
    store = await openImageStore({ path: images })
    return () => rm(folder, { recursive: true })
  })
  group.each.timeout(600_000)

  /** A runnable image with all kinds of file names. */
  async function build(family: Family): Promise<string> {
    const files = [{ ...filesOf({ 'bin/sh': await readFile(BUSYBOX) })[0]!, mode: 0o755 }]
    await putImage(store, 'base', { family, tag: 'latest' })
    const base = await platformImage(store, 'base', 'latest')
    const write = (entries: ReturnType<typeof layerEntries>) =>
      writeLayer(store, 'master/python/base', entries)
    const code = filesOf(Object.fromEntries(NAMES.map((name) => [name, `in ${name}`])))
    const layers = [
      { layer: await write(layerEntries(files)), createdBy: 'shell' },
      { layer: await write(layerEntries(code, '/opt/code')), createdBy: 'code' },
    ]
    const change = { entrypoint: ['/bin/sh', '-c', 'cat "/opt/code/a b/ü"'], tag: 'latest' }
    const built = await appendLayers(store, 'master/python/base', base, layers, change)
    return built.digest
  }

  async function unpacked(path: string, name: string): Promise<string> {
    const bundle = join(folder, `bundle-${Math.random()}`)
    await run('umoci', ['unpack', '--rootless', '--image', `${path}:${name}`, bundle])
    const root = join(bundle, 'rootfs')
    for (const file of NAMES) {
      const content = await readFile(join(root, 'opt/code', file), 'utf8')
      if (content !== `in ${file}`) {
        throw new Error(`${file} has ${content}`)
      }
    }
    return root
  }

  test('an image of a folder is valid for umoci and skopeo, and runs', async ({ assert }) => {
    const digest = await build('oci')
    const name = 'master/python/base:latest'
    const { stdout } = await run('skopeo', ['inspect', `oci:${images}:${name}`])
    const inspected = JSON.parse(stdout)
    assert.equal(inspected.Digest, digest)
    assert.lengthOf(inspected.Layers, 3)
    assert.deepEqual(inspected.Labels, { kept: 'yes' })
    const stat = await run('umoci', ['stat', '--json', '--image', `${images}:${name}`])
    assert.lengthOf(JSON.parse(stat.stdout).history, 3)
    const root = await unpacked(images, name)
    assert.equal(await readFile(join(root, 'etc/name'), 'utf8'), 'base')
    if (process.getuid?.() === 0) {
      const script = 'read -r line < "/opt/code/a b/ü"; echo "$line"'
      const content = await run('chroot', [root, '/bin/sh', '-c', script])
      assert.include(content.stdout, 'in a b/ü')
    }
  })

  test('docker-archive and oci-archive files of skopeo are imported with the same files', async ({
    assert,
  }) => {
    const digest = await build('oci')
    const source = `oci:${images}:master/python/base:latest`
    const docker = join(folder, 'docker.tar')
    const oci = join(folder, 'oci.tar')
    await run('skopeo', ['copy', source, `docker-archive:${docker}:python/base:latest`])
    await run('skopeo', ['copy', source, `oci-archive:${oci}:x`])
    await run('gzip', ['-k', docker])
    const other = join(folder, 'other')
    const target = await openImageStore({ path: other })
    const digests = new Set<string>()
    for (const [n, path] of [docker, `${docker}.gz`, oci].entries()) {
      const to = { store: target, repository: `taken/${n}`, tag: 'latest' }
      const stored = await importArchive(path, to)
      digests.add(stored.digest)
      await unpacked(other, `taken/${n}:latest`)
    }
    assert.equal(digests.size, 2)
    assert.isTrue(digests.has(digest))
  })

  test(
    'skopeo reads an archive of the {family} family in both formats, and it is imported unchanged'
  )
    .with([{ family: 'oci' }, { family: 'docker' }] as const)
    .run(async ({ assert }, { family }) => {
      const digest = await build(family)
      const from = { store, repository: 'master/python/base', reference: 'latest' }
      const path = join(folder, 'image.tar')
      const packed = join(folder, 'packed.tar.gz')
      await exportArchive(from, path, { name: 'python/base:latest' })
      await exportArchive(from, packed, { name: 'python/base:latest' })
      // The skopeo of Debian 12 cannot read compressed docker archives.
      await run('gunzip', ['-k', packed])
      await run('cmp', [path, join(folder, 'packed.tar')])
      const layout = join(folder, 'layout')
      const named = `docker-archive:${path}:python/base:latest`
      await run('skopeo', ['copy', named, `oci:${layout}:x`])
      await unpacked(layout, 'x')
      const inspected = await run('skopeo', ['inspect', `oci-archive:${path}`])
      assert.equal(JSON.parse(inspected.stdout).Digest, digest)
      for (const [n, file] of [path, packed].entries()) {
        const to = { store, repository: `again/${n}`, tag: 'latest' }
        const stored = await importArchive(file, to)
        assert.equal(stored.digest, digest)
      }
    })

  test('an index is exported and imported completely', async ({ assert }) => {
    const index = await putIndex(store, 'many', 'latest')
    const path = join(folder, 'many.tar')
    await exportArchive({ store, repository: 'many', reference: 'latest' }, path, {
      name: 'many:1',
    })
    const other = await openImageStore({ path: join(folder, 'other') })
    const to = { store: other, repository: 'many', tag: 'latest' }
    assert.deepEqual(await importArchive(path, to), index)
    const { config } = await platformImage(other, 'many', 'latest')
    assert.equal(config.architecture, 'amd64')
    await run('skopeo', ['copy', `docker-archive:${path}`, `dir:${folder}/dir`])
  })

  test('old docker archives with links between layers are imported', async ({ assert }) => {
    const image = await putImage(store, 'old', { tag: 'latest' })
    const content = JSON.parse(image.bytes.toString())
    const config = await bytesOf(store.readBlob('old', content.config))
    const layer = await bytesOf(store.readBlob('old', content.layers[0]))
    const saved = join(folder, 'saved')
    await mkdir(join(saved, 'one'), { recursive: true })
    await writeFile(join(saved, 'one', 'layer.tar.gz'), layer)
    await run('gunzip', [join(saved, 'one', 'layer.tar.gz')])
    await run('ln', ['-s', '../one/layer.tar', join(saved, 'layer-link.tar')])
    await run('mkdir', [join(saved, 'two')])
    await run('ln', ['-s', '../one/layer.tar', join(saved, 'two', 'layer.tar')])
    await writeFile(join(saved, 'config.json'), config)
    const listed = [{ Config: 'config.json', RepoTags: ['old:1'], Layers: ['two/layer.tar'] }]
    await writeFile(join(saved, 'manifest.json'), JSON.stringify(listed))
    const path = join(folder, 'old.tar')
    await run('tar', ['-C', saved, '-cf', path, '.'])
    const stored = await importArchive(path, { store, repository: 'taken/old', tag: 'latest' })
    const result = await platformImage(store, 'taken/old', 'latest')
    assert.equal(result.manifest.config.digest, content.config.digest)
    assert.equal(result.stored.digest, stored.digest)
  })
})
