import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmod, chown, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'

import { ARCHITECTURES } from '#image/architectures'
import { VERSION } from '#kernel/version'
import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { RegistryStore } from '#oci/registry/registry_store'
import { PROVENANCE, SIGNATURE } from '#oci/signing/attachment_kinds'
import { ImageKey } from '#oci/signing/image_key'
import { verifyImage } from '#oci/signing/verify_image'
import { readAll } from '#oci/verified_bytes'
import { parseManifest, type ImageManifest } from '#oci/manifest'
import { eventually } from '#tests/helpers/eventually'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { shellArchive } from '#tests/helpers/worker/shell_archive'
import { Machine } from '#tests/services/hubctl/hubctl'
import { CONFINED, LIMIT_MS, RoleContainer } from '#tests/services/image/containers'
import { startDockerRegistry, type DockerRegistry } from '#tests/services/servers/docker_registry'
import { freePort } from '#tests/services/servers/free_port'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { Podman } from '#tests/services/servers/podman'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import type { RealServer } from '#tests/services/servers/real_server'
import { startRedis } from '#tests/services/servers/redis'

const run = promisify(execFile)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'build/image')
const REPOSITORY = 'analysis-hub'
const { debian: ARCHITECTURE } = ARCHITECTURES.find(({ node }) => node === process.arch)!
const PLATFORM = { os: 'linux', architecture: ARCHITECTURE }
const SBOM_TYPE = 'application/spdx+json'
const MIB = 1024 ** 2

/** What all roles share. */
const VARIABLES = {
  NODE_ENV: 'development',
  IDENTITY_ADMIN_PASSWORD: 'start123',
  APP_KEY: 'a key of the tests with more than 32 characters',
  CLIENT_SECRET: 'start123',
}

interface AnalysisNode {
  readonly id: string
  readonly node: { readonly name: string }
}

/** A process that another one leaves behind, and that ends on its own. */
const ORPHAN = `
const { spawn } = require('node:child_process')
const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 100)'], { detached: true, stdio: 'ignore' })
child.unref()
console.log(child.pid)`

test.group('The image', (group) => {
  let podman: Podman
  let redis: RealServer
  let rabbitmq: RealServer
  let registry: DockerRegistry
  let key: ImageKey
  let printed: string

  group.setup(async () => {
    podman = await Podman.start()
    const servers = Promise.all([startRedis(), startRabbitmq()])
    registry = await startDockerRegistry()
    const { host, accountName, accountSecret } = registry.access
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const file = join(podman.folder, 'images.key')
    await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    key = new ImageKey(privateKey)
    const args = ['bin/bootstrap.mjs', 'image', '--arch', ARCHITECTURE, '--key', file]
    const { stdout } = await run(process.execPath, [...args, '--push', `${host}/${REPOSITORY}`], {
      cwd: ROOT,
      env: { ...process.env, REGISTRY_USER: accountName, REGISTRY_PASSWORD: accountSecret },
    })
    printed = stdout
    await podman.must('load', '--input', join(FOLDER, `${REPOSITORY}-${VERSION}-embedded.tar`))
    await podman.must('tag', await pulled(), named(VERSION))
    ;[redis, rabbitmq] = await servers
    const started = [redis, rabbitmq, registry.server]
    return async () => {
      await Promise.all([podman.remove(), ...started.map((server) => server.stop())])
    }
  })

  const named = (tag: string) => `localhost/${REPOSITORY}:${tag}`

  /** Pulls the image without a database from the registry, by the digest that was printed. */
  async function pulled(): Promise<string> {
    const { host, accountName, accountSecret } = registry.access
    const [digest] = /(?<=:\d+\.\d+\.\d+ +)sha256:\w+/.exec(printed)!
    const image = `${host}/${REPOSITORY}@${digest}`
    const accounts = join(podman.folder, 'accounts.json')
    const auth = Buffer.from(`${accountName}:${accountSecret}`).toString('base64')
    await writeFile(accounts, JSON.stringify({ auths: { [host]: { auth } } }))
    await podman.must('pull', '--tls-verify=false', `--authfile=${accounts}`, image)
    return image
  }

  test('the image is small, signed, and says what is in it', async ({ assert }) => {
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

  test('the image is in the registry with all that is attached to it', async ({
    assert,
    cleanup,
  }) => {
    const store = RegistryStore.open(registry.access)
    cleanup(() => store.close())
    for (const tag of [VERSION, `${VERSION}-embedded`]) {
      const index = (await store.manifest(REPOSITORY, tag))!
      const { stored } = await platformImage(store, REPOSITORY, tag, PLATFORM)
      const kinds = [PROVENANCE.artifactType, SIGNATURE.artifactType]
      assert.sameMembers(await attachedTo(store, index.digest), kinds)
      assert.sameMembers(await attachedTo(store, stored.digest), [...kinds, SBOM_TYPE])
      for (const { digest } of [index, stored]) {
        await verifyImage({ store, repository: REPOSITORY }, digest, [key], { name: 'hub' })
      }
      assert.include(await packagesOf(store, stored.digest), 'libc6')
    }
  }).timeout(LIMIT_MS)

  async function attachedTo(store: ImageStore, digest: string) {
    const referrers = await store.referrers(REPOSITORY, digest)
    return referrers.map(({ artifactType }) => artifactType)
  }

  async function packagesOf(store: ImageStore, digest: string) {
    const referrers = await store.referrers(REPOSITORY, digest)
    const sbom = referrers.find(({ artifactType }) => artifactType === SBOM_TYPE)!
    const manifest = parseManifest((await store.manifest(REPOSITORY, sbom.digest))!)
    const [layer] = (manifest as ImageManifest).layers
    const bytes = await readAll(store.readBlob(REPOSITORY, layer!), 16 * MIB)
    const { packages } = JSON.parse(bytes.toString()) as { packages: { name: string }[] }
    return packages.map(({ name }) => name)
  }

  test('the image runs hubctl, and names its roles', async ({ assert }) => {
    const call = (...args: string[]) =>
      podman.call('run', '--rm', '--network=none', ...CONFINED, named(VERSION), ...args)
    const version = await call('hubctl', '--version')
    assert.deepEqual([version.code, version.stdout.trim()], [0, VERSION], version.stderr)
    const unknown = await call('shell')
    assert.equal(unknown.code, 2)
    assert.include(unknown.stderr, 'hub, pool, worker, node, hubctl, ace')
  }).timeout(LIMIT_MS)

  test('the image runs every role as anybody without rights: an analysis is built by a worker and run by a node', async ({
    assert,
    cleanup,
  }) => {
    await ensurePackages(PACKAGES.imageTools)
    const folder = await temporaryFolder(cleanup)
    const folders = await foldersIn(folder)
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const image = named(`${VERSION}-embedded`)
    const server = async (command: string, variables: Record<string, string>) => {
      const own = { ADMIN_PORT: String(await freePort()), IMAGES_PATH: '/images' }
      const data = command === 'worker' ? folders.worker : folders.hub
      const container = await RoleContainer.start(podman, {
        ...{ image, command: [command] },
        variables: { ...VARIABLES, ...own, ...variables },
        folders: { '/data': data, '/images': folders.images },
      })
      await container.ready(assert)
      return container
    }
    const address = { DATABASE_URL: 'embedded', PORT: String(port), PUBLIC_URL: origin }

    const hub = await server('hub', address)
    await reapsOrphans(hub, assert)
    await hub.stop(assert)

    const servers = { AMQP_URL: rabbitmq.url, REDIS_URL: redis.url }
    const pool = await server('pool', {
      ...{ ...address, ...servers, JOBS: 'bus,outbox,sweeps', POOL_WEB: '1' },
    })
    const worker = await server('worker', {
      ...{ ...servers, CORE_URL: `${origin}/core`, STORAGE_URL: `${origin}/storage` },
      ...{ IDENTITY_URL: `${origin}/auth`, IMAGE_SOURCE: 'archive' },
    })
    const machine = await Machine.createRecord()
    cleanup(() => machine.remove())
    await machine.login(origin)
    await beginAnalysis(machine)
    await rename(await shellArchive(folder), join(folders.hub, 'python.tar'))
    const imported = await pool.role('ace', 'image:import', '/data/python.tar', '--as=python/base')
    assert.equal(imported.code, 0, imported.stderr + imported.stdout)
    await buildAnalysis(machine)
    await distributeAnalysis(machine)

    await writeNodeFiles(machine, folders.node, origin)
    const node = await RoleContainer.start(podman, {
      ...{ image: named(VERSION), command: ['node', 'run', '/data/node.yaml'] },
      folders: { '/data': folders.node, '/images': folders.images },
      options: ['--security-opt=unmask=ALL', '--security-opt=seccomp=unconfined'],
    })
    await node.says(/The node north is ready/, assert)
    const parts = await machine.json<AnalysisNode[]>('get', 'analysis-nodes', '--include', 'node')
    const { id } = parts.find((part) => part.node.name === 'north')!
    await machine.must('wait', 'analysis-node', id, '--for', 'executionStatus=executed')

    for (const container of [node, worker, pool]) {
      await container.stop(assert)
    }
  }).timeout(6 * LIMIT_MS)
})

/** One folder for each role, which nobody in particular may write as a member of the group 0. */
async function foldersIn(folder: string) {
  const folders = Object.fromEntries(
    ['hub', 'worker', 'node', 'images'].map((name) => [name, join(folder, name)])
  ) as Record<'hub' | 'worker' | 'node' | 'images', string>
  for (const path of Object.values(folders)) {
    await mkdir(path)
    await chown(path, 0, 0)
    await chmod(path, 0o770)
  }
  return folders
}

async function reapsOrphans(hub: RoleContainer, assert: Assert): Promise<void> {
  const orphan = await hub.node('-e', ORPHAN)
  const pid = orphan.stdout.trim()
  assert.match(pid, /^\d+$/)
  await eventually(async () => {
    const { stdout } = await hub.node('-p', `require('node:fs').existsSync('/proc/${pid}')`)
    return stdout.trim() === 'false'
  }, LIMIT_MS)
}

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
  await machine.must('bucket', 'cp', await machine.write('main.py', 'echo done'), 'code@trial:')
  await machine.must('analysis', 'entrypoint', 'trial', 'main.py')
}

async function buildAnalysis(machine: Machine): Promise<void> {
  await machine.must('image', 'sync')
  await eventually(async () => (await machine.json('get', 'master-images')).length > 0, LIMIT_MS)
  await machine.must('update', 'analysis', 'trial', 'masterImageId=base')
  await machine.must('analysis', 'lock', 'trial')
  await machine.must('analysis', 'approve', 'trial')
  await machine.must('analysis', 'build', 'trial')
  await machine.must('wait', 'analysis', 'trial', '--for', 'buildStatus=executed')
}

async function distributeAnalysis(machine: Machine): Promise<void> {
  await machine.must('create', 'registry', 'name=local', 'host=local-images')
  await machine.must('registry', 'setup', 'local')
  await machine.must('update', 'node', 'north', 'registryId=local')
  await machine.must('update', 'node', 'center', 'registryId=local')
  await machine.must('analysis', 'distribute', 'trial')
  await machine.must('wait', 'analysis', 'trial', '--for', 'distributionStatus=executed')
}

/** What a node needs, for a user who is only a member of the group of these files. */
async function writeNodeFiles(machine: Machine, folder: string, origin: string): Promise<void> {
  const at = (name: string) => join(folder, name)
  await machine.must('node', 'rotate-credentials', 'north', '--yes', '--to', at('credentials.json'))
  const files = {
    'hub.pub': await machine.must('image', 'key'),
    // Publishes the key of the node.
    'approver.json': JSON.stringify({ id: 'system', secret: VARIABLES.CLIENT_SECRET }),
    'node.yaml': JSON.stringify({
      ...{ hub: origin, credentials: 'credentials.json', approver: 'approver.json' },
      ...{ signingKey: 'hub.pub', images: '/images', data: 'state' },
    }),
  }
  for (const [name, content] of Object.entries(files)) {
    await writeFile(at(name), content)
  }
  await chmod(at('credentials.json'), 0o640)
}
