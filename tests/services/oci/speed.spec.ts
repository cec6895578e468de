import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { appendLayers } from '#oci/append_layers'
import { copyImage } from '#oci/copy_image'
import { inParallel } from '#kernel/in_parallel'
import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { layerEntries } from '#oci/tar/layer_entries'
import { writeLayer } from '#oci/write_layer'
import { filesOf, putImage } from '#tests/helpers/oci/images'
import { skopeoCopy } from '#tests/helpers/oci/skopeo'
import { codeFiles } from '#tests/helpers/worker/code_files'
import { startDockerRegistry, type DockerRegistry } from '#tests/services/servers/docker_registry'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const MIB = 1024 ** 2
const NODES = 20
/** Ten times what a quiet machine needs; the comparison within one run tells more. */
const LONGEST_MS = 20_000

test.group('Speed of images within one registry', (group) => {
  let registry: DockerRegistry
  let store: ImageStore
  let bases = 0

  group.setup(async () => {
    await ensurePackages(PACKAGES.imageTools)
    registry = await startDockerRegistry()
    store = await openImageStore(registry.access)
    return async () => {
      store.close()
      await registry.server.stop()
    }
  })
  group.each.timeout(600_000)

  /** A new base image: skopeo remembers which blobs are where. */
  async function newBase(): Promise<string> {
    const repository = `master/base-${bases++}`
    await putImage(store, repository, { files: { data: randomBytes(100 * MIB) }, tag: 'latest' })
    return repository
  }
  const skopeo = (base: string) =>
    took(() => skopeoCopy(registry.access, base, base.replace('master', 'by-skopeo')))

  test('a thousand files on a base of 100 MiB are built soon, and faster than skopeo copies the base', async ({
    assert,
  }) => {
    const from = await newBase()
    const to = from.replace('master', 'incoming')
    const code = filesOf(codeFiles(1_000))
    const milliseconds = await took(async () => {
      const base = await platformImage(store, from, 'latest')
      const entries = layerEntries(code, 'opt/code')
      const layer = await writeLayer(store, to, entries)
      const change = { entrypoint: ['python'], tag: 'latest' }
      await appendLayers(store, to, base, [{ layer, createdBy: 'code' }], change)
    })
    const other = await skopeo(from)
    report('build', milliseconds, other)
    assert.isBelow(milliseconds, LONGEST_MS)
    assert.isAbove(other / milliseconds, 3)
  }).retry(2)

  test('an image is copied to twenty repositories soon, and faster than by skopeo', async ({
    assert,
  }) => {
    const base = await newBase()
    const from = { store, repository: base, reference: 'latest' }
    const repositories = Array.from({ length: NODES }, (_, n) => `node-${n}/${base}`)
    const milliseconds = await took(() =>
      inParallel(repositories, 5, async (repository) => {
        await copyImage(from, { store, repository }, { tag: 'latest' })
      })
    )
    const other = (await skopeo(base)) * NODES
    report('distribution', milliseconds, other)
    assert.isBelow(milliseconds, LONGEST_MS)
    assert.isAbove(other / milliseconds, 3)
  }).retry(2)
})

async function took(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await action()
  return performance.now() - startedAt
}

function report(what: string, ours: number, skopeo: number): void {
  const ratio = (skopeo / ours).toFixed(1)
  console.log(`${what}: ${Math.round(ours)} ms, skopeo ${Math.round(skopeo)} ms, ${ratio} times`)
}
