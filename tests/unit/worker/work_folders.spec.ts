import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { WorkFolders } from '#worker/master_images/buildah/work_folders'

test.group('The folders of jobs', () => {
  test('folders are removed after their job, also if it fails', async ({ assert, cleanup }) => {
    const parent = await temporaryFolder(cleanup)
    const folders = new WorkFolders(parent)
    assert.isTrue(await folders.use(async (folder) => existsSync(folder)))
    await assert.rejects(() => folders.use(() => Promise.reject(new Error('no space'))), 'no space')
    assert.isEmpty(readdirSync(parent))
  })

  test('folders stay while another job of the worker starts', async ({ assert, cleanup }) => {
    const parent = await temporaryFolder(cleanup)
    const folders = new WorkFolders(parent)
    await folders.use(async (folder) => {
      await folders.use(async (other) => assert.notEqual(other, folder))
      assert.isTrue(existsSync(folder))
    })
  })

  test('folders of a process that crashed are removed by the next job', async ({
    assert,
    cleanup,
  }) => {
    const parent = await temporaryFolder(cleanup)
    const [crashed, elsewhere] = [hostname(), 'another-host'].map((host) =>
      join(parent, `${host}.${process.pid}.0123456789ab`)
    )
    mkdirSync(crashed!)
    mkdirSync(elsewhere!)
    await new WorkFolders(parent).use(async () => {
      assert.isFalse(existsSync(crashed!))
      assert.isTrue(existsSync(elsewhere!), 'it may still be in use')
    })
  })
})
