import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { FolderStore } from '#oci/folder/folder_store'
import { fileTree } from '#tests/helpers/core/master_images/file_tree'
import { ImageKeeper } from '#tests/helpers/core/master_images/image_keeper'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { Researcher } from '#tests/helpers/worker/researcher'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'

const SHELL = { command: '/bin/sh', commandArguments: ['-eu'] }

test.group('Master images without a network', (group) => {
  let hub: HubProcesses
  let source: string
  let images: FolderStore
  let keeper: ImageKeeper

  group.setup(async () => {
    source = await mkdtemp(join(tmpdir(), 'hub-test-'))
    await fileTree(source, {
      'tools/image-group.json': { name: 'Tools', ...SHELL },
      'tools/shell/Dockerfile': 'FROM scratch\nCOPY hello /hello\n',
      'tools/shell/hello': 'hello',
      'tools/new/image.json': '{ broken',
      'tools/gone/image.json': {},
    })
    const variables = {
      IMAGE_SOURCE: 'git,archive',
      MASTER_IMAGES_URL: source,
      BUILDAH: 'none',
    }
    hub = await HubProcesses.start('server', { variables })
    images = await FolderStore.open(join(hub.folder, '.data', 'images'))
    await putTinyImage(images, 'master/python/base')
    keeper = new ImageKeeper(await Researcher.at(hub.origin))
    return async () => {
      await hub.remove()
      await rm(source, { recursive: true, force: true })
    }
  })

  test('images are those of a folder, and those that were imported', async ({ assert }) => {
    const found = await keeper.synchronized(['tools/shell', 'tools/gone', 'python/base'])
    assert.equal(found.get('python/base')!.buildStatus, 'executed')
    assert.isNull(found.get('tools/shell')!.buildStatus)

    assert.containSubset(found.get('tools/shell'), {
      name: 'shell',
      path: 'tools/shell',
      groupVirtualPath: 'tools',
      command: '/bin/sh',
      commandArguments: [{ value: '-eu' }],
    })
    assert.containSubset(found.get('python/base'), { command: '/bin/sh', name: 'base' })
    await keeper.says(
      'The image tools/new is left unchanged: tools/new/image.json is not a JSON object'
    )
  })

  test('images stay as they are when they are broken, and go when they are gone', async ({
    assert,
  }) => {
    const all = ['tools/shell', 'tools/gone', 'python/base']
    const before = await keeper.synchronized(all)
    await rm(join(source, 'tools/gone'), { recursive: true })
    await fileTree(source, { 'tools/shell/image.json': { command: 7 } })

    const after = await keeper.synchronized(['tools/shell', 'python/base'])

    const { command, commandArguments, path } = before.get('tools/shell')!
    assert.containSubset(after.get('tools/shell'), { command, commandArguments, path })
    await rm(join(source, 'tools/shell/image.json'))
  })

  test('images say why they are not built where nothing is there to build them', async ({
    assert,
  }) => {
    await keeper.synchronized(['tools/shell', 'python/base'])
    const { id, buildStatus } = await keeper.built('tools/shell')

    assert.equal(buildStatus, 'failed')
    const line = await keeper.logged({ masterImageId: id }, 'imageBuilderNotFound')
    assert.include(line.message, 'install buildah')
    assert.containSubset(line, {
      service: 'hub-server-worker',
      labels: { component: 'masterImageBuilder', refType: 'masterImage', refId: id },
    })
    assert.isUndefined(await images.manifest('master/tools/shell', 'latest'))
    assert.deepEqual(await readdir(join(hub.folder, '.data', 'builds')), [])
  })

  test('images are there at once where they were imported', async ({ assert }) => {
    await keeper.synchronized(['tools/shell', 'python/base'])
    const image = await keeper.built('python/base')

    const { digest } = (await images.manifest('master/python/base', 'latest'))!
    assert.containSubset(image, { buildStatus: 'executed', buildProgress: 100, buildHash: digest })
    assert.isAbove(Number(image.buildSize), 0)
  })
})
