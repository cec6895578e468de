import { test } from '@japa/runner'

import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { putImage } from '#tests/helpers/oci/images'
import { startDockerRegistry } from '#tests/services/servers/docker_registry'
import { Machine } from './hubctl.js'

test.group('Images with hubctl', (group) => {
  let hub: HubProcesses
  let machine: Machine
  let registry: Awaited<ReturnType<typeof startDockerRegistry>>
  let inRegistry: ImageStore
  let inFolder: ImageStore
  group.setup(async () => {
    hub = await HubProcesses.start('server')
    machine = await Machine.createRecord()
    registry = await startDockerRegistry()
    inRegistry = await openImageStore(registry.access)
    inFolder = await openImageStore({ path: machine.path('images') })
    return async () => {
      inRegistry.close()
      await registry.server.stop()
      await hub.remove()
      await machine.remove()
    }
  })

  test('a folder takes an image in and gives it out, without a platform', async ({ assert }) => {
    const { digest } = await putImage(inFolder, 'some/base', { tag: 'latest' })
    const written = await machine.call(
      ['image', 'export', 'some/base', 'base.tar', '--images', 'images'],
      { env: { HUBCTL_URL: 'http://127.0.0.1:9' } }
    )
    assert.equal(written.code, 0, written.stderr)
    const taken = await machine.call(
      ['image', 'import', 'base.tar', '--as', 'python/base', '--images', 'images'],
      { env: { HUBCTL_URL: 'http://127.0.0.1:9' } }
    )
    assert.equal(taken.code, 0, taken.stderr)
    assert.equal((await inFolder.manifest('master/python/base', 'latest'))?.digest, digest)
  })

  test('a registry is found by its name, with the account that the platform has of it', async ({
    assert,
  }) => {
    await machine.login(hub.origin)
    const { host, accountName, accountSecret } = registry.access
    const fields = ['name=plain', `host=${host}`, `accountName=${accountName}`]
    const created = await machine.call(
      ['create', 'registry', ...fields, 'accountSecret=@-', '-o', 'json'],
      { stdin: accountSecret }
    )
    assert.equal(created.code, 0, created.stderr)
    const { id } = JSON.parse(created.stdout)
    await putImage(inFolder, 'base', { tag: 'latest' })
    await machine.call(['image', 'export', 'base', 'one.tar.gz', '--images', 'images'])
    const place = ['--registry', 'plain']
    const taken = await machine.call(['image', 'import', 'one.tar.gz', '--as', 'r/base', ...place])
    assert.equal(taken.code, 0, taken.stderr)
    assert.isDefined(await inRegistry.manifest('master/r/base', 'latest'))
    const again = ['image', 'export', 'master/r/base', 'two.tar', '--registry', id]
    assert.equal((await machine.call(again)).code, 0)
    assert.notInclude(taken.stdout + taken.stderr, accountSecret)

    const missing = await machine.call(['image', 'export', 'master/none', 'x.tar', ...place])
    assert.equal(missing.code, 5)
    assert.include(missing.stderr, 'Image not found: master/none:latest.')
    const changing = ['update', 'registry', 'plain', 'accountSecret=@-']
    await machine.call(changing, { stdin: 'another-secret' })
    const denied = await machine.call(['image', 'export', 'master/r/base', 'x.tar', ...place])
    assert.equal(denied.code, 4, denied.stderr)
  })

  test('the store of images has to be named, and only once', async ({ assert }) => {
    const nowhere = await machine.call(['image', 'export', 'a', 'a.tar'])
    assert.equal(nowhere.code, 2)
    assert.include(nowhere.stderr, '--images <folder>, or --registry')
    const both = ['image', 'export', 'a', 'a.tar', '--images', 'x', '--registry', 'y']
    assert.equal((await machine.call(both)).code, 2)
  })
})
