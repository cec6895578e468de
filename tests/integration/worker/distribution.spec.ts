import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { FolderStore } from '#oci/folder/folder_store'
import type { ImageStore } from '#oci/image_store'
import { checkBuild } from '#worker/analysis_builder/check_build'
import { checkDistribution } from '#worker/distribution/check_distribution'
import { distribution } from '#worker/distribution/distribute_analysis'
import { DistributionScene, pushBuild } from '#tests/helpers/worker/distribution_scene'

const LAYERS = [randomBytes(70_000), randomBytes(3_000)]
const distribute = distribution({ stallMs: 2_000, pausesMs: [1, 1] })

test.group('Distribution', (group) => {
  let folder: string
  let scene: DistributionScene
  let stores: Map<string, ImageStore>

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hub-distribution-'))
    stores = new Map()
    for (const host of ['local-images', 'one.example', 'other.example']) {
      stores.set(host, await FolderStore.open(join(folder, host)))
    }
    scene = await DistributionScene.set({
      folder: async () => stores.get('local-images')!,
      registry: ({ host }) => stores.get(host)!,
    })
    return async () => {
      await scene.platform.stop()
      await rm(folder, { recursive: true })
    }
  })

  const at = (host: string) => stores.get(host)!
  /** A registry that has the build. */
  const built = async (host = 'one.example') => {
    const registryId = scene.registry({ host })
    const digest = await pushBuild(at(host), scene.incomingOf(registryId), LAYERS)
    scene.platform.analysis.buildHash = digest
    return { registryId, digest }
  }
  const failure = async () => {
    try {
      await scene.run(distribute)
    } catch (error) {
      return error as any
    }
    throw new Error('All nodes were served')
  }
  const manifestOf = async (host: string, repository: string) =>
    (await at(host).manifest(repository, 'latest'))?.digest

  test('each node has the image in its own registry under the same digest', async ({ assert }) => {
    const { registryId, digest } = await built()
    const elsewhere = scene.registry({ host: 'other.example' })
    const locally = scene.registry({ host: 'local-images' })
    const nodes = [
      { host: 'one.example', ...scene.node(registryId) },
      { host: 'one.example', ...scene.node(registryId) },
      { host: 'other.example', ...scene.node(elsewhere) },
      { host: 'other.example', ...scene.node(elsewhere) },
      { host: 'local-images', ...scene.node(locally) },
    ]
    const events = await scene.run(distribute)
    for (const { host, repository } of nodes) {
      const manifest = await at(host).manifest(repository, 'latest')
      assert.equal(manifest?.digest, digest)
      for (const layer of JSON.parse(manifest!.bytes.toString()).layers) {
        assert.isTrue(await at(host).hasBlob(repository, layer.digest))
      }
    }
    assert.sameDeepMembers(
      events.nodes as object[],
      nodes.map(({ id }) => ({
        nodeId: id,
        status: 'executed',
        artifactTag: 'latest',
        artifactDigest: digest,
      }))
    )
    assert.equal(scene.progress.at(-1), 100)
  })

  test('a repeated command has the same result', async ({ assert }) => {
    const { registryId } = await built()
    scene.node(registryId)
    scene.node(scene.registry({ host: 'other.example' }))
    const first = await scene.run(distribute)
    assert.deepEqual(await scene.run(distribute), first)
  })

  test('a node without approval gets nothing and is reported; all others are delivered', async ({
    assert,
  }) => {
    const { registryId, digest } = await built()
    const served = scene.node(registryId, 'north')
    const other = scene.node(registryId, 'south')
    scene.platform.content = () => scene.agreed([other.id])
    const error = await failure()
    assert.equal(error.code, 'nodeNotApproved')
    assert.match(error.message, /^1 of 2 nodes do not have the image\. south: .* not approved/)
    assert.equal(await manifestOf('one.example', served.repository), digest)
    assert.isUndefined(await manifestOf('one.example', other.repository))
    assert.sameDeepMembers(
      error.eventData.nodes.map(({ nodeId, status }: any) => [nodeId, status]),
      [
        [served.id, 'executed'],
        [other.id, 'failed'],
      ]
    )
  })

  test('an approval withdrawn during the transfer is respected', async ({ assert }) => {
    const { registryId } = await built()
    const first = scene.node(registryId)
    scene.platform.content = () => {
      throw new Error('No request is expected before the layers are there')
    }
    const target = at('one.example')
    const layer = JSON.parse(
      (await target.manifest(scene.incomingOf(registryId), 'latest'))!.bytes.toString()
    ).layers[0].digest
    let hadLayers = false
    scene.platform.content = () => {
      hadLayers = true
      return scene.agreed([first.id])
    }
    assert.equal((await failure()).code, 'nodeNotApproved')
    assert.isTrue(hadLayers)
    assert.isTrue(await target.hasBlob(first.repository, layer))
    assert.isUndefined(await manifestOf('one.example', first.repository))
  })

  test('outdated content is not delivered', async ({ assert }) => {
    const { registryId } = await built()
    const nodes = [scene.node(registryId), scene.node(registryId)]
    scene.platform.content = () => scene.agreed([], 'd'.repeat(64))
    assert.equal((await failure()).code, 'contentChanged')
    for (const { repository } of nodes) {
      assert.isUndefined(await manifestOf('one.example', repository))
    }
  })

  test('platforms without content digests are checked by approval status', async ({ assert }) => {
    const { registryId, digest } = await built()
    const agreed = scene.node(registryId)
    const undecided = scene.node(registryId)
    const against = scene.node(registryId)
    scene.platform.content = undefined
    scene.platform.analysisNodes[1]!.approvalStatus = null
    scene.platform.analysisNodes[2]!.approvalStatus = 'rejected'
    scene.platform.analysis.buildNodesValid = false
    assert.equal((await failure()).code, 'nodeNotApproved')
    assert.equal(await manifestOf('one.example', agreed.repository), digest)
    assert.isUndefined(await manifestOf('one.example', undecided.repository))
    scene.platform.analysis.buildNodesValid = true
    await failure()
    assert.equal(await manifestOf('one.example', undecided.repository), digest)
    assert.isUndefined(await manifestOf('one.example', against.repository))
  })

  test('concurrent nodes share a read of the platform', async ({ assert }) => {
    const { registryId } = await built()
    for (let count = 0; count < 20; count++) {
      scene.node(registryId)
    }
    await scene.run(distribute)
    const looks = scene.platform.asked.filter((path) => path.endsWith('/content'))
    assert.isBelow(looks.length, 20)
  })

  test('nodes without a usable registry are reported individually', async ({ assert }) => {
    const { registryId, digest } = await built()
    const served = scene.node(registryId)
    const lost = scene.node(null)
    const removed = scene.registry({ host: 'other.example' })
    const remaining = scene.node(removed)
    scene.platform.registries = scene.platform.registries.filter(({ id }) => id !== removed)
    const error = await failure()
    assert.equal(error.code, 'distributionIncomplete')
    assert.equal(await manifestOf('one.example', served.repository), digest)
    const codes = new Map(error.eventData.nodes.map((node: any) => [node.nodeId, node.error?.code]))
    assert.equal(codes.get(lost.id), 'registryProjectNotFound')
    assert.equal(codes.get(remaining.id), 'registryNotFound')
  })

  test('an image is delivered from wherever it was built', async ({ assert }) => {
    const before = await built('other.example')
    const { id } = scene.platform.registries[0]!
    scene.platform.analysis.registryId = null
    const now = scene.registry({ host: 'one.example' })
    scene.platform.registries.reverse()
    const { repository } = scene.node(now)
    assert.notEqual(id, now)
    await scene.run(distribute)
    assert.equal(await manifestOf('one.example', repository), before.digest)
    scene.platform.analysis.buildStatus = 'executed'
    assert.containSubset(await scene.run(checkBuild), { status: 'executed', hash: before.digest })
  })

  test('a missing image fails without retries', async ({ assert }) => {
    const { registryId } = await built()
    scene.node(registryId)
    scene.platform.analysis.buildHash = `sha256:${'0'.repeat(64)}`
    const error = await failure()
    assert.equal(error.code, 'imageNotFound')
    assert.match(error.message, /build it again/)
  })

  test('a check names the nodes without the image', async ({ assert }) => {
    const { registryId } = await built()
    const { repository } = scene.node(registryId, 'north')
    scene.node(registryId, 'south')
    await scene.run(distribute)
    const found = await manifestOf('one.example', repository)
    await at('one.example').removeManifest(repository, found!)
    scene.platform.analysis.distributionStatus = 'executed'
    const { status, error } = (await scene.run(checkDistribution)) as any
    assert.equal(status, 'failed')
    assert.match(error.message, /^1 of 2 nodes do not have the image: north;/)
  })

  test('a missing build fails with a reason', async ({ assert }) => {
    scene.registry({ host: 'one.example' })
    scene.platform.analysis.buildStatus = 'failed'
    const { status, error } = (await scene.run(checkBuild)) as any
    assert.equal(status, 'failed')
    assert.match(error.message, /No complete, signed image/)
  })

  test('an analysis without nodes fails', async ({ assert }) => {
    await built()
    assert.equal((await failure()).code, 'notFound')
  })

  test('the log names the destinations, with the labels of the analysis', async ({ assert }) => {
    const { registryId } = await built()
    const { id } = scene.node(registryId, 'north')
    await scene.run(distribute)
    const line = scene.lines.find(({ message }) => message.includes('north'))!
    assert.match(line.message, /Copy the image to north in the registry one\.example: started/)
    assert.deepEqual(line.labels, {
      nodeId: id,
      component: 'analysisDistributor',
      command: 'execute',
      refType: 'analysis',
      refId: scene.id,
      step: 'Copy the image to north in the registry one.example',
      stepState: 'started',
      analysisId: scene.id,
    })
    assert.lengthOf(scene.lines, 8)
  })

  test('the worker account is used', async ({ assert }) => {
    const used: unknown[] = []
    const own = { accountName: 'worker-1', accountSecret: 'its-own' }
    const registryId = scene.registry({
      host: 'one.example',
      accountName: 'admin',
      accountSecret: 'of-the-platform',
    })
    const again = await DistributionScene.set({
      folder: async () => at('local-images'),
      registry: ({ host, accountName, accountSecret }) => {
        used.push({ accountName, accountSecret })
        return at(host)
      },
    })
    again.platform.registries = scene.platform.registries
    again.platform.registryProjects = scene.platform.registryProjects
    again.platform.analysis.registryId = registryId
    again.platform.workerAccount = () => ({ host: 'one.example', ...own })
    await pushBuild(at('one.example'), again.incomingOf(registryId), LAYERS)
    again.node(registryId)
    await again.run(distribute)
    await again.platform.stop()
    assert.isTrue(used.length > 0)
    for (const one of used) {
      assert.deepEqual(one, own)
    }
  })

  test('a check reports the images of nodes', async ({ assert }) => {
    const { registryId, digest } = await built()
    const { id, repository } = scene.node(registryId)
    assert.deepEqual(await scene.run(checkDistribution), {
      nodes: [{ nodeId: id, artifactTag: null, artifactDigest: null }],
    })
    scene.platform.analysis.updatedAt = new Date(Date.now() - 16 * 60_000).toISOString()
    assert.equal((await scene.run(checkDistribution)).status, 'failed')
    await scene.run(distribute)
    assert.deepEqual(await scene.run(checkDistribution), {
      status: 'executed',
      nodes: [{ nodeId: id, artifactTag: 'latest', artifactDigest: digest }],
    })
    scene.platform.analysis.distributionStatus = 'executed'
    await pushBuild(at('one.example'), repository, [randomBytes(10)])
    assert.equal((await scene.run(checkDistribution)).status, 'failed')
  })

  test('a check reports nothing without nodes, and fails for a node without a registry', async ({
    assert,
  }) => {
    await built()
    assert.deepEqual(await scene.run(checkDistribution), {})
    scene.node(null)
    await assert.rejects(() => scene.run(checkDistribution), /no project in a registry/)
  })
})
