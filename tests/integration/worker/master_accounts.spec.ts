import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { appendLayers } from '#oci/append_layers'
import { RegistryDenied } from '#oci/errors'
import { openImageStore } from '#oci/open_image_store'
import { COMPONENTS } from '#worker/components'
import { baseImage } from '#worker/images/base_image'
import { ImageLocations } from '#worker/images/image_locations'
import { imageStores } from '#worker/images/stores'
import { JobLog } from '#worker/job_log'
import { putImage } from '#tests/helpers/oci/images'
import { RegistryServer } from '#tests/helpers/core/registry/registry_server'
import { StandInPlatform } from '#tests/helpers/worker/stand_in_platform'

const account = (accountName: string) => ({ accountName, accountSecret: randomUUID() })
const WORKER = account('robot$worker')
const MASTER = account('robot$master')
const BASE = 'python/base'
const BUILD = `incoming/${randomUUID()}`

test.group('The accounts of a worker in a registry', (group) => {
  let registry: RegistryServer
  let platform: StandInPlatform
  let locations: ImageLocations
  let folder: string

  group.each.setup(async () => {
    registry = await RegistryServer.start()
    registry.tokens.others.push(WORKER, MASTER)
    registry.tokens.rights = (repository, name) => {
      const isMaster = repository.startsWith('master/')
      return name === WORKER.accountName
        ? isMaster
          ? ['pull']
          : ['pull', 'push']
        : isMaster && name === MASTER.accountName
          ? ['pull', 'push']
          : []
    }
    platform = await StandInPlatform.start()
    const id = randomUUID()
    platform.registries = [{ id, name: 'one', ...registry.access }]
    platform.registryProjects = ['masterImages', 'incoming'].map((type) => {
      const externalName = type === 'incoming' ? 'incoming' : 'master'
      return { id: randomUUID(), type, externalName, registryId: id }
    })
    platform.workerAccount = () => ({ host: registry.host, ...WORKER })
    platform.masterAccount = () => ({ host: registry.host, ...MASTER })
    folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
    const { signal } = new AbortController()
    locations = new ImageLocations(
      imageStores({ folder, insecure: [] }),
      platform.client(signal),
      signal
    )
    return async () => {
      await platform.stop()
      await registry.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  const silent = { info() {}, warn() {}, error() {}, debug() {} }
  const log = new JobLog(
    { logger: silent, ship() {} },
    { component: COMPONENTS.analysisBuilder, command: 'execute', id: randomUUID() }
  )

  test('the build account reads master images, and the other only writes them', async ({
    assert,
  }) => {
    const imported = await openImageStore({ path: folder })
    const { digest } = await putImage(imported, `master/${BASE}`, { tag: 'latest' })
    const location = await locations.forMasterImages()

    const base = await baseImage(locations, location, BASE, log)
    const built = await appendLayers(location.store, BUILD, base, [], { tag: 'latest' })

    assert.equal(base.stored.digest, digest)
    assert.equal((await location.store.manifest(BUILD, 'latest'))!.digest, built.digest)
    const asMaster = await location.masterStore()
    for (const [store, repository] of [
      [location.store, `master/${BASE}`],
      [asMaster, BUILD],
    ] as const) {
      const error = await putImage(store, repository, { tag: 'latest' }).catch((one) => one)
      assert.instanceOf(error, RegistryDenied)
    }
  })

  test('the master image account is not requested if the image exists', async ({ assert }) => {
    const all = registry.tokens.rights
    registry.tokens.rights = () => ['pull', 'push']
    const store = await openImageStore(registry.access)
    await putImage(store, `master/${BASE}`, { tag: 'latest' })
    store.close()
    registry.tokens.rights = all

    await baseImage(locations, await locations.forMasterImages(), BASE, log)

    assert.isEmpty(platform.asked.filter((path) => path.endsWith('/master-credentials')))
  })
})
