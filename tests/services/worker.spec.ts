import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { ace } from '#tests/helpers/ace_process'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { enterMasterImage, Researcher } from '#tests/helpers/worker/researcher'
import { shellArchive } from '#tests/helpers/worker/shell_archive'
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

  test('imports an image, builds on it, and the built image runs the code', async ({ assert }) => {
    const images = join(hub.folder, '.data', 'images')
    const imported = await ace(['image:import', await shellArchive(folder), '--as=python/base'], {
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
    const started = performance.now()
    await researcher.lockAndBuild(id)
    const { buildStatus, buildHash } = await researcher.built(id)
    assert.equal(buildStatus, 'executed')
    assert.isBelow(performance.now() - started, 10_000)

    const name = `incoming/${id}:latest`
    const inspected = await run('skopeo', ['inspect', `oci:${images}:${name}`])
    assert.equal(JSON.parse(inspected.stdout).Digest, buildHash)
    const bundle = join(folder, 'bundle')
    await run('umoci', ['unpack', '--rootless', '--image', `${images}:${name}`, bundle])
    const config = JSON.parse(await readFile(join(bundle, 'config.json'), 'utf8'))
    assert.deepEqual(config.process.args, ['/bin/sh', '-eu', '/opt/code/main.sh', "it's $HOME"])
    if (process.getuid?.() === 0) {
      const content = await run('chroot', [join(bundle, 'rootfs'), ...config.process.args])
      assert.equal(content.stdout, "Hello from the code, it's $HOME\n")
    }
  }).timeout(600_000)
})
