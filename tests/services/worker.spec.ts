import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { appendLayers } from '#oci/append_layers'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { layerEntries } from '#oci/tar/layer_entries'
import { writeLayer } from '#oci/write_layer'
import { ace } from '#tests/helpers/ace_process'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { filesOf, putImage } from '#tests/helpers/images'
import { enterMasterImage, Researcher } from '#tests/helpers/worker/researcher'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const run = promisify(execFile)
const FREE = { SKIP_PROJECT_APPROVAL: 'true', SKIP_ANALYSIS_APPROVAL: 'true' }
const FILES = {
  'main.sh': '. /opt/code/lib/words.sh\necho "$greeting, $1"\n',
  'lib/words.sh': 'greeting="Hello from the code"\n',
}
const ARGUMENTS = [{ value: '-eu' }, { value: "it's $HOME", position: 'after' }]

test.group('An installation without a registry and without a network', (group) => {
  let hub: HubProcesses
  let folder: string

  group.setup(async () => {
    await ensurePackages(PACKAGES.imageTools)
    folder = await mkdtemp(join(tmpdir(), 'analysis-hub-worker-'))
    hub = await HubProcesses.start('server', { variables: FREE })
    return async () => {
      await hub.remove()
      await rm(folder, { recursive: true, force: true })
    }
  })

  /** An archive as others write it, of an image with nothing in it but a shell. */
  async function archive(): Promise<string> {
    const path = join(folder, 'elsewhere')
    const store = await openImageStore({ path })
    await putImage(store, 'shell', { tag: 'latest' })
    const base = await platformImage(store, 'shell', 'latest')
    const [shell] = filesOf({ 'bin/sh': await readFile('/bin/busybox') })
    const entries = layerEntries([{ ...shell!, mode: 0o755 }])
    const layer = await writeLayer(store, 'shell', entries, { family: 'oci' })
    await appendLayers(store, 'shell', base, [{ layer, createdBy: 'a shell' }], { tag: 'latest' })
    const file = join(folder, 'python.tar')
    await run('skopeo', ['copy', `oci:${path}:shell:latest`, `docker-archive:${file}:shell:latest`])
    return file
  }

  test('imports an image, builds on it what others read, and its command prints what the code says', async ({
    assert,
  }) => {
    const images = join(hub.folder, '.data', 'images')
    const imported = await ace(['image:import', await archive(), '--as=python/base'], {
      DATA_DIR: join(hub.folder, '.data'),
    })
    assert.equal(imported.exit, 0, imported.stderr)

    const masterImageId = await enterMasterImage(hub.folder, {
      virtualPath: 'python/base',
      command: '/bin/sh',
      commandArguments: ARGUMENTS,
    })
    const researcher = await Researcher.at(hub.origin)
    const id = await researcher.analysis(await researcher.project(), masterImageId, FILES)
    const begun = performance.now()
    await researcher.lockAndBuild(id)
    const { buildStatus, buildHash } = await researcher.built(id)
    assert.equal(buildStatus, 'executed')
    assert.isBelow(performance.now() - begun, 10_000)

    const name = `incoming/${id}:latest`
    const inspected = await run('skopeo', ['inspect', `oci:${images}:${name}`])
    assert.equal(JSON.parse(inspected.stdout).Digest, buildHash)
    const bundle = join(folder, 'bundle')
    await run('umoci', ['unpack', '--rootless', '--image', `${images}:${name}`, bundle])
    const config = JSON.parse(await readFile(join(bundle, 'config.json'), 'utf8'))
    assert.deepEqual(config.process.args, ['/bin/sh', '-eu', '/opt/code/main.sh', "it's $HOME"])
    if (process.getuid?.() === 0) {
      const said = await run('chroot', [join(bundle, 'rootfs'), ...config.process.args])
      assert.equal(said.stdout, "Hello from the code, it's $HOME\n")
    }
  }).timeout(120_000)
})
