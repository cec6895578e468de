import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { putImage } from '#tests/helpers/images'
import { skopeoCopy } from '#tests/helpers/skopeo'
import { stopwatch } from '#tests/helpers/stopwatch'
import { enterMasterImage, Researcher } from '#tests/helpers/worker/researcher'
import { startDockerRegistry, type DockerRegistry } from '#tests/services/servers/docker_registry'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const MIB = 1024 ** 2
const BASE = 'master/python/base'
const LONGEST_MS = 2_000

test.group('Builds in a registry', (group) => {
  let registry: DockerRegistry
  let store: ImageStore
  let hub: HubProcesses
  let researcher: Researcher
  let masterImageId: string

  group.setup(async () => {
    await ensurePackages(PACKAGES.imageTools)
    registry = await startDockerRegistry()
    store = await openImageStore(registry.access)
    const files = { data: randomBytes(100 * MIB) }
    await putImage(store, BASE, { files, tag: 'latest' })
    hub = await HubProcesses.start('server', {
      variables: { SKIP_PROJECT_APPROVAL: 'true', LOG_LEVEL: 'info' },
    })
    researcher = await Researcher.at(hub.origin)
    await researcher.enterRegistry({ name: 'local', ...registry.access })
    masterImageId = await enterMasterImage(hub.folder, {
      virtualPath: 'python/base',
      command: 'python3',
    })
    return async () => {
      console.log(hub.output.slice(-6000))
      await hub.remove()
      store.close()
      await registry.server.stop()
    }
  })

  test('a thousand files on a base of 100 MiB take less than two seconds, and a third of what skopeo takes for the base', async ({
    assert,
  }) => {
    const project = await researcher.project()
    const names = Array.from({ length: 1_000 }, (_, n) => `package/module_${n}.py`)
    const files = Object.fromEntries(
      ['main.py', ...names.slice(1)].map((name) => [name, randomBytes(2048).toString('hex')])
    )
    const t0 = performance.now()
    const id = await researcher.analysis(project, masterImageId, files)
    console.log('known after', performance.now() - t0)
    await researcher.command(id, 'configurationLock')
    await researcher.approve(id)
    const took = stopwatch()
    const t1 = performance.now()
    await researcher.command(id, 'buildStart')
    console.log('buildStart', performance.now() - t1)
    const { buildStatus } = await researcher.built(id)
    console.log('end', performance.now() - t1)
    const ours = took()
    const other = stopwatch()
    await skopeoCopy(registry.access, BASE, 'by-skopeo/base')
    const theirs = other()
    console.log(
      `build: ${Math.round(ours)} ms; skopeo: ${Math.round(theirs)} ms, ${(theirs / ours).toFixed(1)} times`
    )
    const logs = await researcher.core('GET', `/analysis-logs?filter[analysisId]=${id}&page[limit]=50`)
    for (const line of logs) console.log(line.createdAt ?? line.time, line.message)
    assert.equal(buildStatus, 'executed')
    assert.isBelow(ours, LONGEST_MS)
    assert.isAbove(theirs / ours, 3)
  })
    .timeout(180_000)
})
