import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { appendLayers } from '#oci/append_layers'
import { copyImage } from '#oci/copy_image'
import { inParallel } from '#oci/in_parallel'
import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { layerEntries } from '#oci/tar/layer_entries'
import { writeLayer } from '#oci/write_layer'
import { filesOf, putImage } from '#tests/helpers/images'
import { startDockerRegistry } from '#tests/services/servers/docker_registry'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)
const MIB = 1024 ** 2
const NODES = 20
const LONGEST_MS = 2_000

test.group('Speed of images within one registry', (group) => {
  let registry: Awaited<ReturnType<typeof startDockerRegistry>>
  let store: ImageStore
  let folder: string
  let skopeo: (repository: string) => Promise<number>

  group.setup(async () => {
    await ensurePackages(PACKAGES.imageTools)
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-speed-'))
    registry = await startDockerRegistry()
    store = await openImageStore(registry.access)
    const { host, accountName, accountSecret } = registry.access
    const auth = Buffer.from(`${accountName}:${accountSecret}`).toString('base64')
    const accounts = join(folder, 'accounts.json')
    await writeFile(accounts, JSON.stringify({ auths: { [host]: { auth } } }), { mode: 0o600 })
    skopeo = (repository) =>
      took(() =>
        run(
          'skopeo',
          [
            'copy',
            `--authfile=${accounts}`,
            '--src-tls-verify=false',
            '--dest-tls-verify=false',
            `docker://${host}/master/base:latest`,
            `docker://${host}/${repository}:latest`,
          ],
          { env: { PATH: process.env.PATH, HOME: folder } }
        )
      )
    await putImage(store, 'master/base', {
      files: { data: randomBytes(100 * MIB) },
      tag: 'latest',
    })
    return async () => {
      store.close()
      await registry.server.stop()
      await rm(folder, { recursive: true })
    }
  })
  group.each.timeout(120_000)

  test('a thousand files on a base of 100 MiB take less than two seconds', async ({ assert }) => {
    const code = filesOf(
      Object.fromEntries(
        Array.from({ length: 1_000 }, (_, n) => [`package/module_${n}.py`, randomBytes(4096)])
      )
    )
    const milliseconds = await took(async () => {
      const base = await platformImage(store, 'master/base', 'latest')
      const entries = layerEntries(code, 'opt/code')
      const layer = await writeLayer(store, 'incoming/one', entries, { family: 'oci' })
      const change = { entrypoint: ['python'], tag: 'latest' }
      await appendLayers(store, 'incoming/one', base, [{ layer, createdBy: 'code' }], change)
    })
    const other = await skopeo('incoming/skopeo')
    say('build', milliseconds, other)
    assert.isBelow(milliseconds, LONGEST_MS)
    assert.isAbove(other / milliseconds, 3)
  }).retry(2)

  test('an image is given to twenty repositories in less than two seconds', async ({ assert }) => {
    const from = { store, repository: 'master/base', reference: 'latest' }
    const repositories = Array.from({ length: NODES }, (_, n) => `node-${n}/image`)
    const milliseconds = await took(() =>
      inParallel(repositories, 5, async (repository) => {
        await copyImage(from, { store, repository }, { tag: 'latest' })
      })
    )
    const other = (await skopeo('node-x/image')) * NODES
    say('distribution', milliseconds, other)
    assert.isBelow(milliseconds, LONGEST_MS)
    assert.isAbove(other / milliseconds, 3)
  }).retry(2)
})

async function took(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await action()
  return performance.now() - startedAt
}

function say(what: string, ours: number, skopeo: number): void {
  const ratio = (skopeo / ours).toFixed(1)
  console.log(`${what}: ${Math.round(ours)} ms, skopeo ${Math.round(skopeo)} ms, ${ratio} times`)
}
