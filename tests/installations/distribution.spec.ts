import { join } from 'node:path'

import { test } from '@japa/runner'

import { FolderStore } from '#oci/folder/folder_store'
import { eventually } from '#tests/helpers/eventually'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { enterMasterImage, Researcher } from '#tests/helpers/worker/researcher'
import { putTinyImage } from '#tests/helpers/worker/tiny_image'

const FREE = { SKIP_PROJECT_APPROVAL: 'true', SKIP_ANALYSIS_APPROVAL: 'true' }
const SOON_MS = 200_000

test.group('An installation of one program, whose registry is its folder', (group) => {
  let hub: HubProcesses
  let images: FolderStore
  let researcher: Researcher

  group.setup(async () => {
    hub = await HubProcesses.start('server', { variables: FREE })
    images = await FolderStore.open(join(hub.folder, '.data', 'images'))
    await putTinyImage(images, 'master/python/base')
    researcher = await Researcher.at(hub.origin)
    return () => hub.remove()
  })

  /** The analysis, once its distribution is over. */
  const distributed = (id: string): Promise<any> =>
    eventually(async () => {
      const analysis = await researcher.core('GET', `/analyses/${id}`)
      return ['executed', 'failed'].includes(analysis.distributionStatus) && analysis
    }, SOON_MS)

  test('the installation takes an analysis from nothing to its nodes, also one that was built before', async ({
    assert,
  }) => {
    const masterImageId = await enterMasterImage(hub.folder, {
      virtualPath: 'python/base',
      command: 'python3',
    })
    const project = await researcher.project()
    const id = await researcher.analysis(project, masterImageId, { 'main.py': 'print(1)\n' })
    await researcher.lockAndBuild(id)
    const { buildHash } = await researcher.built(id)
    const registry = await researcher.core('POST', '/registries', {
      name: 'local',
      host: 'local-images',
    })
    await researcher.core('POST', '/services/registry/command', {
      command: 'setup',
      id: registry.id,
    })
    for (const { id: nodeId } of project.nodes) {
      await researcher.core('POST', `/nodes/${nodeId}`, { registryId: registry.id })
    }
    await researcher.command(id, 'distributionStart')
    assert.containSubset(await distributed(id), {
      distributionStatus: 'executed',
      distributionProgress: 100,
      registryId: registry.id,
    })
    const nodes = await researcher.core('GET', `/analysis-nodes?filter[analysisId]=${id}`)
    assert.lengthOf(nodes, 2)
    for (const { artifactTag, artifactDigest, nodeId } of nodes) {
      assert.deepEqual([artifactTag, artifactDigest], ['latest', buildHash])
      const path = `/nodes/${nodeId}?include=registryProject`
      const { registryProject } = await researcher.core('GET', path)
      const found = await images.manifest(`${registryProject.externalName}/${id}`, 'latest')
      assert.equal(found?.digest, buildHash)
      await images.removeManifest(`${registryProject.externalName}/${id}`, buildHash)
    }
    await researcher.command(id, 'distributionCheck')
    await eventually(async () => (await distributed(id)).distributionStatus === 'failed', SOON_MS)
    await researcher.command(id, 'distributionStart')
    await eventually(async () => (await distributed(id)).distributionStatus === 'executed', SOON_MS)
  }).timeout(600_000)
})
