import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { LATEST } from '#oci/image_names'
import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { platformImage } from '#oci/platform_image'
import { ImageKey } from '#oci/signing/image_key'
import { provenanceOf, verifyImage } from '#oci/signing/verify_image'
import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { putBusybox } from '#tests/helpers/core/master_images/busybox'
import { fileTree } from '#tests/helpers/core/master_images/file_tree'
import { ImageKeeper } from '#tests/helpers/core/master_images/image_keeper'
import { Researcher } from '#tests/helpers/worker/researcher'
import { prepareData } from '#tests/helpers/prepared_data'
import { Machine } from '#tests/services/hubctl/hubctl'
import { startDockerRegistry, type DockerRegistry } from '#tests/services/servers/docker_registry'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { descendants, isAlive, procFile } from '#tests/services/servers/process_table'

const run = promisify(execFile)

const FREE = { SKIP_PROJECT_APPROVAL: 'true', SKIP_ANALYSIS_APPROVAL: 'true' }
const SECRET = 'a-secret-of-this-installation-that-no-build-may-see'
const IMAGES = ['bad', 'endless', 'greeting', 'mirrored', 'own', 'plain']

test.group('Built master images', (group) => {
  let registry: DockerRegistry
  let store: ImageStore
  let folder: string
  let hub: HubProcesses
  let researcher: Researcher
  let keeper: ImageKeeper

  const start = async () => {
    hub = await HubProcesses.start('server', {
      variables: {
        ...FREE,
        DATA_DIR: join(folder, 'data'),
        IMAGE_SOURCE: 'git,registry',
        MASTER_IMAGES_URL: join(folder, 'source'),
        MASTER_IMAGES_REFERENCES: `mirrored=${registry.access.host}/foreign/busybox`,
        WORKER_CLIENT_SECRET: SECRET,
      },
    })
    researcher = await Researcher.at(hub.origin)
    keeper = new ImageKeeper(researcher)
  }

  group.setup(async () => {
    await ensurePackages([...PACKAGES.buildah, ...PACKAGES.imageTools])
    folder = await mkdtemp(join(tmpdir(), 'hub-test-'))
    registry = await startDockerRegistry()
    store = await openImageStore(registry.access)
    const base = await putBusybox(store, 'master/busybox')
    await putBusybox(store, 'foreign/busybox')
    await fileTree(join(folder, 'source'), sourceFor(registry.access.host, base))
    await prepareData(join(folder, 'data'))
    await start()
    await researcher.enterRegistry({ name: 'local', ...registry.access })
    await keeper.synchronized(IMAGES)
    return async () => {
      await hub.remove()
      store.close()
      await registry.server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  async function writeEndless(command: string): Promise<void> {
    const text = `FROM ${registry.access.host}/master/busybox\nRUN ${command}\n`
    await fileTree(join(folder, 'source'), { 'endless/Dockerfile': text })
  }

  /** The processes of an endless build. */
  async function endlessBuild(): Promise<number[]> {
    await keeper.build('endless')
    return eventually(() => {
      const pids = descendants(hub.pid).filter((pid) => !isUploader(pid))
      return pids.some(isEndless) && pids
    }, 60_000)
  }

  const imageOf = (path: string) => platformImage(store, `master/${path}`, LATEST)
  const buildsLeft = () => readdir(join(folder, 'data', 'builds'))

  /** The verified signature and provenance of an image. */
  async function signed(path: string, digest: string) {
    const accepted = await researcher.core('GET', '/image-keys')
    const keys = accepted.map(({ publicKey }: any) => ImageKey.from(publicKey, 'A key of the hub'))
    const name = `master/${path}`
    const target = { store, repository: name }
    const { claim } = await verifyImage(target, digest, keys, { name })
    const found = await provenanceOf(target, digest, keys)
    return { said: claim.optional, statement: found!.statement }
  }

  /** The digest as computed from the repository. */
  async function contextDigest(path: string): Promise<string> {
    const command = 'find * -type f | LC_ALL=C sort | xargs sha256sum | sha256sum'
    const { stdout } = await run('sh', ['-c', command], { cwd: join(folder, 'source', path) })
    return stdout.slice(0, 64)
  }

  /** The content of a file in the image. */
  async function fileIn(path: string, file: string): Promise<string> {
    const into = await unpacked(`master/${path}`)
    return readFile(join(into, 'rootfs', file), 'utf8')
  }

  async function unpacked(repository: string): Promise<string> {
    const { host, accountName, accountSecret } = registry.access
    const location = await mkdtemp(join(folder, 'unpacked-'))
    const layout = `${join(location, 'layout')}:image`
    const account = ['--src-creds', `${accountName}:${accountSecret}`, '--src-tls-verify=false']
    await run('skopeo', ['copy', ...account, `docker://${host}/${repository}`, `oci:${layout}`])
    await run('umoci', ['unpack', '--image', layout, join(location, 'bundle')])
    return join(location, 'bundle')
  }

  test('images are pushed, and analyses run on them', async ({ assert }) => {
    const image = await keeper.built('greeting')
    const { stored, config } = await imageOf('greeting')

    assert.containSubset(image, {
      buildStatus: 'executed',
      buildProgress: 100,
      buildHash: stored.digest,
    })
    assert.equal(await fileIn('greeting', 'opt/said'), 'hello from the build\n')
    assert.containSubset(config.content.config, {
      Labels: { 'analysis-hub.command': '/bin/sh', 'analysis-hub.command-arguments': '[]' },
    })
    assert.deepEqual(await buildsLeft(), [])

    const project = await researcher.project()
    const files = { 'main.sh': 'cat /opt/said\n' }
    const id = await researcher.analysis(project, image.id, files)
    await researcher.lockAndBuild(id)
    assert.equal((await researcher.built(id)).buildStatus, 'executed')
    const projects = await researcher.core('GET', '/registry-projects?filter[type]=incoming')
    const bundle = await unpacked(`${projects[0].externalName}/${id}`)
    const { process: ran } = JSON.parse(await readFile(join(bundle, 'config.json'), 'utf8'))
    const { stdout } = await run('chroot', [join(bundle, 'rootfs'), ...ran.args])
    assert.equal(stdout, 'hello from the build\n')
  }).timeout(600_000)

  test('images are reproducible', async ({ assert }) => {
    const first = await keeper.built('plain')
    const again = await keeper.built('plain')

    assert.equal(first.buildStatus, 'executed')
    assert.equal(again.buildHash, first.buildHash)
    const { statement } = await signed('plain', first.buildHash)
    const [base] = statement.predicate.buildDefinition.resolvedDependencies
    assert.equal(base!.name, `${registry.access.host}/master/busybox`)
    assert.lengthOf(await store.referrers('master/plain', first.buildHash), 2)
  }).timeout(600_000)

  test('images are signed with provenance', async ({ assert, cleanup }) => {
    const { buildHash } = await keeper.built('greeting')
    const { said: content, statement } = await signed('greeting', buildHash)

    assert.equal(content.masterImage, 'greeting')
    const { buildDefinition, runDetails } = statement.predicate
    assert.equal(buildDefinition.buildType, 'urn:analysis-hub:build:masterImage:1')
    assert.containSubset(buildDefinition.externalParameters, {
      masterImage: 'greeting',
      source: join(folder, 'source'),
      command: '/bin/sh',
    })
    const base = await imageOf('busybox')
    assert.includeDeepMembers(
      [...buildDefinition.resolvedDependencies],
      [
        {
          name: `${registry.access.host}/master/busybox:latest`,
          digest: { sha256: base.stored.digest.slice('sha256:'.length) },
        },
        { name: 'context', digest: { sha256: await contextDigest('greeting') } },
        { name: 'context/hello', digest: { sha256: sha256Of('hello') } },
      ]
    )
    assert.equal(runDetails.builder.id, 'urn:analysis-hub:worker')
    assert.isBelow(Date.parse(runDetails.metadata!.startedOn!), Date.now())

    const machine = await Machine.createRecord()
    cleanup(() => machine.remove())
    await machine.login(hub.origin)
    const shown = await machine.must('image', 'verify', 'master/greeting', '--registry', 'local')
    assert.include(shown, 'analysis-hub.invalid/master/greeting:latest')
    assert.include(shown, `${sha256Of('hello')}  context/hello`)
  }).timeout(600_000)

  test('images can build on master images by path, and see no secrets', async ({ assert }) => {
    const { buildStatus, buildHash } = await keeper.built('own')
    assert.equal(buildStatus, 'executed')
    const seen = await fileIn('own', 'opt/seen')
    assert.include(seen, 'PATH=')
    assert.notInclude(seen, SECRET)
    assert.notInclude(seen, registry.access.accountSecret)
    const { statement } = await signed('own', buildHash)
    const [base] = statement.predicate.buildDefinition.resolvedDependencies
    assert.equal(base!.name, 'master/busybox:latest')
  }).timeout(600_000)

  test('images can be mirrored from another registry', async ({ assert }) => {
    const { buildStatus, buildHash, command } = await keeper.built('mirrored')

    const { stored } = await platformImage(store, 'foreign/busybox', LATEST)
    assert.deepEqual([buildStatus, buildHash, command], ['executed', stored.digest, '/bin/sh'])
    assert.equal((await imageOf('mirrored')).stored.digest, stored.digest)
    assert.deepEqual(await store.referrers('master/mirrored', stored.digest), [])
  })

  test('images are not pushed if their build fails, and the reason is reported', async ({
    assert,
  }) => {
    const { id, buildStatus } = await keeper.built('bad')

    assert.equal(buildStatus, 'failed')
    const { message } = await keeper.logged({ masterImageId: id }, 'imageBuildFailed')
    assert.match(message, /exit status 3/)
    assert.isUndefined(await store.manifest('master/bad', LATEST))
    assert.deepEqual(await buildsLeft(), [])
  }).timeout(600_000)

  test('images leave nothing behind when the worker crashes, and are built by the next', async ({
    assert,
  }) => {
    const running = await endlessBuild()

    process.kill(hub.pid, 'SIGKILL')
    await eventually(() => !running.some(isAlive))

    assert.lengthOf(await buildsLeft(), 1)
    assert.isUndefined(await store.manifest('master/endless', LATEST))
    await hub.remove()
    await writeEndless('true')
    await start()
    const { id } = (await keeper.images()).get('endless')!
    await eventually(async () => {
      const image = await researcher.core('GET', `/master-images/${id}`)
      return image.buildStatus === 'executed'
    }, 60_000)
    assert.isDefined(await store.manifest('master/endless', LATEST))
    assert.deepEqual(await buildsLeft(), [])
  }).timeout(600_000)

  test('images are stopped with all their processes when the worker stops', async ({ assert }) => {
    await writeEndless('sleep 600')
    const running = await endlessBuild()

    hub.signal('SIGTERM')
    await hub.exit

    assert.isEmpty(running.filter(isAlive))
    assert.deepEqual(await buildsLeft(), [])
  }).timeout(600_000)
})

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')
/** It ends shortly after its worker. */
const isUploader = (pid: number) => procFile(pid, 'cmdline').includes('upload_program')
const isEndless = (pid: number) => procFile(pid, 'cmdline').includes('sleep 600')

function sourceFor(host: string, digest: string) {
  const from = `FROM ${host}/master/busybox\n`
  return {
    'image-group.json': { command: '/bin/sh' },
    'greeting/Dockerfile': `${from}COPY hello /opt/hello\nRUN echo "$(cat /opt/hello) from the build" > /opt/said\n`,
    'greeting/hello': 'hello',
    'plain/Dockerfile': `FROM ${host}/master/busybox@${digest}\nCOPY file /opt/file\n`,
    'plain/file': 'plain',
    'own/Dockerfile':
      'FROM master/busybox\nRUN mkdir -p /opt && env > /opt/seen && cat /proc/*/environ >> /opt/seen 2>/dev/null || true\n',
    'bad/Dockerfile': `${from}RUN exit 3\n`,
    'endless/Dockerfile': `${from}RUN sleep 600\n`,
    'broken/image.json': { command: 1 },
  }
}
