import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { parseManifest } from '#oci/manifest'
import { readAll } from '#oci/verified_bytes'
import { RegistryStore } from '#oci/registry/registry_store'
import { checkDistribution } from '#worker/distribution/check_distribution'
import { distributeAnalysis } from '#worker/distribution/distribute_analysis'
import { imageStores } from '#worker/images/stores'
import { RUN_TYPESCRIPT } from '#tests/helpers/typescript'
import { DistributionScene, pushBuild } from '#tests/helpers/worker/distribution_scene'
import { startDockerRegistry, type DockerRegistry } from '#tests/services/servers/docker_registry'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { randomPause } from '#tests/helpers/real_time'

const MIB = 1024 ** 2
const KILLS = Number(process.env.DISTRIBUTION_KILLS ?? 12)
const DISTRIBUTING = fileURLToPath(new URL('../../helpers/worker/distributing.ts', import.meta.url))
/** Latest kill after the start of a worker; a distribution takes a little less. */
const LATEST_KILL_MS = 1_200
const run = promisify(execFile)

test.group('Distribution among docker-registries', (group) => {
  let one: DockerRegistry
  let other: DockerRegistry
  let scene: DistributionScene

  group.setup(async () => {
    await ensurePackages(PACKAGES.imageTools)
    one = await startDockerRegistry()
    other = await startDockerRegistry()
    return async () => {
      await one.server.stop()
      await other.server.stop()
    }
  })
  group.each.setup(async () => {
    scene = await DistributionScene.set(imageStores({ folder: '/nowhere', insecure: [] }))
    return () => scene.platform.stop()
  })
  group.each.timeout(600_000)

  /** Builds one large and one small layer in the first registry. */
  async function built(largeBytes: number) {
    const registryId = scene.registry(one.access)
    const store = RegistryStore.open(one.access)
    const layers = [randomBytes(largeBytes), randomBytes(2_000)]
    const digest = await pushBuild(store, scene.incomingOf(registryId), layers)
    store.close()
    scene.platform.analysis.buildHash = digest
    return { registryId, digest }
  }

  /** Reads all blobs of a node's image. */
  async function pulled({ access }: DockerRegistry, repository: string): Promise<string> {
    const store = RegistryStore.open(access)
    const found = await store.manifest(repository, 'latest')
    const manifest = found && parseManifest(found)
    if (manifest?.kind !== 'image') {
      throw new Error(`${repository} has no image`)
    }
    for (const blob of [manifest.config, ...manifest.layers]) {
      await readAll(store.readBlob(repository, blob), blob.size)
    }
    store.close()
    return found!.digest
  }

  test('each node pulls the build from its own registry, and a check finds it', async ({
    assert,
  }) => {
    const { registryId, digest } = await built(3 * MIB)
    const elsewhere = scene.registry(other.access)
    const nodes = [
      { registry: one, ...scene.node(registryId) },
      { registry: other, ...scene.node(elsewhere) },
      { registry: other, ...scene.node(elsewhere) },
    ]
    const events = await scene.run(distributeAnalysis)
    assert.lengthOf(events.nodes as object[], 3)
    for (const { registry, repository } of nodes) {
      assert.equal(await pulled(registry, repository), digest)
      const { host, accountName, accountSecret } = registry.access
      const { stdout } = await run('skopeo', [
        ...['inspect', '--tls-verify=false', '--creds', `${accountName}:${accountSecret}`],
        ...['--format', '{{.Digest}}', `docker://${host}/${repository}:latest`],
      ])
      assert.equal(stdout.trim(), digest)
    }
    assert.containSubset(await scene.run(checkDistribution), { status: 'executed' })
  })

  test('a worker that crashes at any moment leaves nothing half done, and its work is resumed', async ({
    assert,
  }) => {
    const { registryId, digest } = await built(24 * MIB)
    const elsewhere = scene.registry(other.access)
    const nodes = [
      ...Array.from({ length: 4 }, () => ({ registry: one, ...scene.node(registryId) })),
      ...Array.from({ length: 4 }, () => ({ registry: other, ...scene.node(elsewhere) })),
    ]
    const whole = async () => {
      let count = 0
      for (const { registry, repository } of nodes) {
        const store = RegistryStore.open(registry.access)
        const found = await store.manifest(repository, 'latest')
        store.close()
        if (found) {
          assert.equal(await pulled(registry, repository), digest)
          count++
        }
      }
      return count
    }
    let killed = 0
    for (let round = 0; round < KILLS; round++) {
      const worker = distributing()
      const ended = once(worker, 'exit')
      await Promise.race([once(worker.stdout, 'data'), ended])
      await Promise.race([randomPause(LATEST_KILL_MS), ended])
      killed += worker.kill('SIGKILL') ? 1 : 0
      await ended
      await whole()
    }
    const last = distributing()
    last.stdout.resume()
    const [code] = await once(last, 'exit')
    assert.equal(code, 0)
    assert.equal(await whole(), nodes.length)
    assert.isAbove(killed, 0)
  })

  const distributing = () =>
    spawn(process.execPath, [RUN_TYPESCRIPT, DISTRIBUTING], {
      env: { ...process.env, SCENE: JSON.stringify(scene.content()) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
})
