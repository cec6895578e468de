import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { openImageStore } from '#oci/open_image_store'
import { ace } from '#tests/helpers/ace_process'
import { putImage } from '#tests/helpers/oci/images'

test.group('Commands about images', (group) => {
  let folder: string
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-images-'))
    return () => rm(folder, { recursive: true })
  })
  group.each.timeout(120_000)

  const run = (...args: string[]) => ace(args, { DATA_DIR: folder })

  test('an image is exported and imported again as a master image', async ({ assert }) => {
    const store = await openImageStore({ path: join(folder, 'images') })
    const { digest } = await putImage(store, 'some/base', { tag: 'v1' })
    const archive = join(folder, 'base.tar.gz')

    const written = await run('image:export', 'some/base:v1', archive)
    assert.equal(written.exit, 0, written.stdout + written.stderr)
    assert.include(written.stdout, `some/base:v1 is in ${archive}, as ${digest}`)
    const result = await run('image:import', archive, '--as=python/base')
    assert.equal(result.exit, 0, result.stdout + result.stderr)
    assert.include(result.stdout, 'master/python/base:latest')
    assert.notInclude(result.stdout + result.stderr, 'IMAGE_SOURCE')
    assert.equal((await store.manifest('master/python/base', 'latest'))?.digest, digest)

    const withBroker = { DATA_DIR: folder, AMQP_URL: 'amqp://127.0.0.1' }
    const unlisted = await ace(['image:import', archive, '--as=python/base'], withBroker)
    assert.equal(unlisted.exit, 0, unlisted.stdout + unlisted.stderr)
    assert.include(unlisted.stdout + unlisted.stderr, 'add archive to IMAGE_SOURCE of the worker')

    const other = ['--as=base:2', '--repository=project/images', '--image=some/base:v1']
    assert.equal((await run('image:import', archive, ...other)).exit, 0)
    assert.equal((await store.manifest('project/images/base', '2'))?.digest, digest)
  })

  test('errors are reported as messages', async ({ assert }) => {
    const archive = join(folder, 'none.tar')
    const none = await run('image:export', 'python/base', archive)
    assert.equal(none.exit, 1)
    assert.include(none.stderr, 'Image not found: python/base:latest')
    const missing = await run('image:import', archive, '--as=python/base')
    assert.equal(missing.exit, 1)
    assert.include(missing.stderr, 'cannot be read: ENOENT')
    const unnamed = await run('image:import', archive)
    assert.equal(unnamed.exit, 1)
    assert.include(unnamed.stderr, '--as=python/base')
    const badly = await run('image:import', archive, '--as=Python')
    assert.include(badly.stderr, 'is not a valid repository')
  })
})
