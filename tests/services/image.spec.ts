import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmod, chown, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { ARCHITECTURES } from '#image/architectures'
import { VERSION } from '#kernel/version'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { ImageKey } from '#oci/signing/image_key'
import { verifyImage } from '#oci/signing/verify_image'
import { readAll } from '#oci/verified_bytes'
import { parseManifest, type ImageManifest } from '#oci/manifest'
import { eventually } from '#tests/helpers/eventually'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { shellArchive } from '#tests/helpers/worker/shell_archive'
import { Machine } from '#tests/services/hubctl/hubctl'
import { freePort } from '#tests/services/servers/free_port'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { Podman } from '#tests/services/servers/podman'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'build/image')
const REPOSITORY = 'analysis-hub'
const { debian: ARCHITECTURE } = ARCHITECTURES.find(({ node }) => node === process.arch)!
const PLATFORM = { os: 'linux', architecture: ARCHITECTURE }
const MIB = 1024 ** 2
const LIMIT_MS = 300_000
const USER = 54_321

const NODE = '/usr/local/bin/node'
const BIN = '/opt/analysis-hub/build/bin'

/** Nobody in particular, who may nothing. */
const CONFINED = [
  ...['--read-only', '--read-only-tmpfs=false', '--cap-drop=all'],
  ...['--security-opt=no-new-privileges', `--user=${USER}:0`],
]

/** Everything that a hub needs, from its own process. */
const VARIABLES = {
  NODE_ENV: 'development',
  IDENTITY_ADMIN_PASSWORD: 'start123',
  DATABASE_URL: 'embedded',
}

/** A process that another one leaves behind, and that ends on its own. */
const ORPHAN = `
const { spawn } = require('node:child_process')
const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 100)'], { detached: true, stdio: 'ignore' })
child.unref()
console.log(child.pid)`

test.group('The image', (group) => {
  let podman: Podman
  let key: ImageKey
  let printed: string

  group.setup(async () => {
    podman = await Podman.start()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const file = join(podman.folder, 'images.key')
    await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    key = new ImageKey(privateKey)
    const args = ['bin/bootstrap.mjs', 'image', '--arch', ARCHITECTURE, '--key', file]
    const { stdout } = await run(process.execPath, args, { cwd: ROOT })
    printed = stdout
    for (const tag of [VERSION, `${VERSION}-embedded`]) {
      await podman.must('load', '--input', join(FOLDER, `${REPOSITORY}-${tag}.tar`))
    }
    return () => podman.remove()
  })

  const named = (tag: string) => `localhost/${REPOSITORY}:${tag}`

  test('is small, signed, and says what is in it', async ({ assert }) => {
    const store = await openImageStore({ path: join(FOLDER, 'layout') })
    for (const [tag, limit] of [
      [VERSION, 250],
      [`${VERSION}-embedded`, 350],
    ] as const) {
      assert.include(printed, `${REPOSITORY}:${tag}  sha256:`)
      const index = await store.manifest(REPOSITORY, tag)
      const { stored, config } = await platformImage(store, REPOSITORY, tag, PLATFORM)
      for (const digest of [index!.digest, stored.digest]) {
        await verifyImage({ store, repository: REPOSITORY }, digest, [key], { name: 'hub' })
      }
      const container = config.content.config as { Labels: Record<string, string> }
      assert.match(container.Labels['org.opencontainers.image.revision']!, /^[\da-f]{40}/)
      assert.equal(container.Labels['org.opencontainers.image.version'], VERSION)
      const size = await podman.must('image', 'inspect', '--format={{.Size}}', named(tag))
      assert.isBelow(Number(size), limit * MIB)
      const names = await packagesOf(store, stored.digest)
      assert.includeMembers(names, ['libc6', 'pg', '@adonisjs/core', 'tini'])
      assert.equal(names.includes('dash'), tag !== VERSION)
      assert.notIncludeMembers(names, ['typescript', 'eslint', 'apt', 'dpkg', 'bash'])
    }
  }).timeout(LIMIT_MS)

  async function packagesOf(store: Awaited<ReturnType<typeof openImageStore>>, digest: string) {
    const referrers = await store.referrers(REPOSITORY, digest)
    const sbom = referrers.find(({ artifactType }) => artifactType === 'application/spdx+json')!
    const manifest = parseManifest((await store.manifest(REPOSITORY, sbom.digest))!)
    const [layer] = (manifest as ImageManifest).layers
    const bytes = await readAll(store.readBlob(REPOSITORY, layer!), 16 * MIB)
    const { packages } = JSON.parse(bytes.toString()) as { packages: { name: string }[] }
    return packages.map(({ name }) => name)
  }

  test('runs hubctl, and names its roles', async ({ assert }) => {
    const call = (...args: string[]) =>
      podman.call('run', '--rm', '--network=none', ...CONFINED, named(VERSION), ...args)
    const version = await call('hubctl', '--version')
    assert.deepEqual([version.code, version.stdout.trim()], [0, VERSION], version.stderr)
    const unknown = await call('shell')
    assert.equal(unknown.code, 2)
    assert.include(unknown.stderr, 'hub, pool, worker, node, hubctl, ace')
  }).timeout(LIMIT_MS)

  test('takes an analysis to its image as anybody without rights, and ends in order', async ({
    assert,
    cleanup,
  }) => {
    await ensurePackages(PACKAGES.imageTools)
    const folder = await temporaryFolder(cleanup)
    const data = join(folder, 'data')
    await mkdir(data)
    await chown(data, 0, 0)
    await chmod(data, 0o770)
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const variables = { ...VARIABLES, PORT: port, ADMIN_PORT: await freePort(), PUBLIC_URL: origin }
    const env = Object.entries(variables).map(([name, value]) => `--env=${name}=${value}`)
    await podman.must(
      ...['run', '--detach', '--name=hub', '--network=host', ...CONFINED, ...env],
      ...[`--volume=${data}:/data`, named(`${VERSION}-embedded`)]
    )
    const inside = (...args: string[]) => podman.call('exec', 'hub', NODE, ...args)
    await eventually(async () => {
      const { code, stdout } = await inside(`${BIN}/health.js`)
      const running = await podman.must('ps', '--quiet')
      assert.notEqual(running, '', await podman.must('logs', 'hub'))
      return code === 0 && stdout.includes('ok')
    }, LIMIT_MS)

    const machine = await Machine.createRecord()
    cleanup(() => machine.remove())
    await machine.login(origin)
    await beginAnalysis(machine)
    await rename(await shellArchive(folder), join(data, 'python.tar'))
    const imported = await inside(
      `${BIN}/role.js`,
      ...['ace', 'image:import', '/data/python.tar', '--as=python/base']
    )
    assert.equal(imported.code, 0, imported.stderr + imported.stdout)
    await buildAnalysis(machine)

    const orphan = await inside('-e', ORPHAN)
    const pid = orphan.stdout.trim()
    assert.match(pid, /^\d+$/)
    await eventually(async () => {
      const { stdout } = await inside('-p', `require('node:fs').existsSync('/proc/${pid}')`)
      return stdout.trim() === 'false'
    }, LIMIT_MS)

    await podman.must('stop', '--time=280', 'hub')
    const code = await podman.must('inspect', '--format={{.State.ExitCode}}', 'hub')
    assert.equal(code, '0', await podman.must('logs', 'hub'))
  }).timeout(4 * LIMIT_MS)
})

async function beginAnalysis(machine: Machine): Promise<void> {
  await machine.must('create', 'node', 'name=north', 'type=default')
  await machine.must('create', 'node', 'name=center', 'type=aggregator')
  await machine.must('create', 'project', 'name=study')
  await machine.must('create', 'project-node', 'projectId=study', 'nodeId=north')
  await machine.must('create', 'project-node', 'projectId=study', 'nodeId=center')
  await machine.must('project', 'approve', 'study')
  await machine.must('create', 'analysis', 'name=trial', 'projectId=study')
  await machine.must('create', 'analysis-node', 'analysisId=trial', 'nodeId=north')
  await machine.must('create', 'analysis-node', 'analysisId=trial', 'nodeId=center')
  await machine.must('bucket', 'cp', await machine.write('main.py', 'print(1)'), 'code@trial:')
  await machine.must('analysis', 'entrypoint', 'trial', 'main.py')
}

async function buildAnalysis(machine: Machine): Promise<void> {
  await machine.must('image', 'sync')
  await machine.must('update', 'analysis', 'trial', 'masterImageId=base')
  await machine.must('analysis', 'lock', 'trial')
  await machine.must('analysis', 'approve', 'trial')
  await machine.must('analysis', 'build', 'trial')
  await machine.must('wait', 'analysis', 'trial', '--for', 'buildStatus=executed')
}
