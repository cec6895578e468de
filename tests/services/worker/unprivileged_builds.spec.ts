import { chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { putBusybox } from '#tests/helpers/core/master_images/busybox'
import { fileTree } from '#tests/helpers/core/master_images/file_tree'
import { ImageKeeper } from '#tests/helpers/core/master_images/image_keeper'
import { asNobody, CANNOT_BE_NOBODY, canBeNobody, NOBODY } from '#tests/helpers/unprivileged'
import { Researcher } from '#tests/helpers/worker/researcher'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { procFile } from '#tests/services/servers/process_table'

test.group('Master images built by an unprivileged account', (group) => {
  let folder: string

  group.setup(async () => {
    await ensurePackages([...PACKAGES.buildah, ...PACKAGES.imageTools])
    folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
    return () => rm(folder, { recursive: true, force: true })
  })

  /** A folder of images owned by the account. */
  async function imagesFolder(): Promise<string> {
    const path = join(folder, 'images')
    await putBusybox(await openImageStore({ path }), 'master/busybox')
    for (const name of ['.', ...(await readdir(path, { recursive: true }))]) {
      await chown(join(path, name), NOBODY, NOBODY)
    }
    await chown(folder, NOBODY, NOBODY)
    return path
  }

  test('images are built, and nothing is left of the build', async ({ assert, cleanup }) => {
    const source = join(folder, 'source')
    await mkdir(source, { recursive: true })
    await fileTree(source, {
      'image-group.json': '{ "command": "/bin/sh" }',
      'own/Dockerfile':
        'FROM master/busybox\nCOPY --chown=7:7 file /opt/file\nRUN echo "built" > /opt/said\n',
      'own/file': 'of another account',
    })
    const path = await imagesFolder()
    const hub = await HubProcesses.start('server', {
      commandPrefix: await asNobody(folder),
      variables: {
        IMAGES_PATH: path,
        IMAGE_SOURCE: 'git',
        MASTER_IMAGES_URL: source,
      },
    })
    cleanup(() => hub.remove())
    const keeper = new ImageKeeper(await Researcher.at(hub.origin))
    await keeper.synchronized(['own'])

    const { buildStatus, buildHash } = await keeper.built('own')

    assert.equal(buildStatus, 'executed', hub.output)
    const { stored } = await platformImage(await openImageStore({ path }), 'master/own', 'latest')
    assert.equal(buildHash, stored.digest)
    assert.include(procFile(hub.pid, 'status'), `Uid:\t${NOBODY}\t${NOBODY}`)
    assert.deepEqual(await readdir(join(hub.folder, '.data', 'builds')), [])
  })
    .timeout(120_000)
    .skip(!canBeNobody(), CANNOT_BE_NOBODY)
})
