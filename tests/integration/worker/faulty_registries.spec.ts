import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { distribution } from '#worker/distribution/distribute_analysis'
import {
  RegistryServer,
  send,
  type Interference,
} from '#tests/helpers/core/registry/registry_server'
import { DistributionScene, pushBuild } from '#tests/helpers/worker/distribution_scene'

const LAYERS = [randomBytes(50_000), randomBytes(2_000)]
const IMPATIENT = { idleMs: 300, attempts: 2, firstPauseMs: 5 }

const projectIn = (repository: string) => repository.split('/')[0]!

interface Behaviour {
  readonly name: string
  readonly code: string
  readonly does: Interference
}

const BEHAVIOURS: readonly Behaviour[] = [
  { name: 'never answers', code: 'registryUnreachable', does: () => true },
  {
    name: 'hangs up',
    code: 'registryUnreachable',
    does({ response }) {
      response.destroy()
      return true
    },
  },
  {
    name: 'is out of order',
    code: 'registryUnreachable',
    does({ response }) {
      send(response, 500, '<h1>Oh no</h1>')
      return true
    },
  },
  {
    name: 'shows a page',
    code: 'registryAnswerInvalid',
    does({ response }) {
      response.setHeader('content-type', 'text/html')
      send(response, 200, '<h1>Welcome</h1>')
      return true
    },
  },
  {
    name: 'lets nobody in',
    code: 'registryDenied',
    does({ response }) {
      send(response, 403, '{"errors":[{"code":"DENIED","message":"No"}]}')
      return true
    },
  },
]

test.group('One of several registries', (group) => {
  let good: RegistryServer
  let bad: RegistryServer
  let scene: DistributionScene
  let stores: Map<string, ImageStore>
  let servedRepository: string
  let digest: string
  let nodeId: string

  group.each.timeout(20_000)
  group.each.setup(async () => {
    good = await RegistryServer.start()
    bad = await RegistryServer.start()
    stores = new Map()
    for (const registry of [good, bad]) {
      stores.set(registry.host, await openImageStore(registry.access, IMPATIENT))
    }
    scene = await DistributionScene.set({
      folder: () => Promise.reject(new Error('There is no folder')),
      registry: ({ host }) => stores.get(host)!,
    })
    const registryId = scene.registry(good.access)
    const store = stores.get(good.host)!
    const served = scene.node(registryId, 'north')
    const unserved = scene.node(scene.registry(bad.access), 'south')
    servedRepository = served.repository
    nodeId = unserved.id
    for (const repository of [scene.incomingOf(registryId), served.repository]) {
      good.projects.add(projectIn(repository))
    }
    bad.projects.add(projectIn(unserved.repository))
    digest = await pushBuild(store, scene.incomingOf(registryId), LAYERS)
    scene.platform.analysis.buildHash = digest
    return async () => {
      stores.values().forEach((one) => one.close())
      await Promise.all([good.stop(), bad.stop(), scene.platform.stop()])
    }
  })

  const failure = async (pausesMs: readonly number[] = [1]): Promise<any> => {
    const error = await scene.run(distribution({ stallMs: 2_000, pausesMs })).then(
      () => undefined,
      (reason) => reason
    )
    if (error === undefined) {
      throw new Error('All nodes were served')
    }
    return error
  }
  const requireServed = async () => {
    const found = await stores.get(good.host)!.manifest(servedRepository, 'latest')
    if (found?.digest !== digest) {
      throw new Error('The node of the good registry was not served')
    }
  }

  for (const { name, code, does } of BEHAVIOURS) {
    test('that has no project for a node yet is reported', async ({ assert }) => {
      const { registryProject } = scene.platform.nodes[1]!
      registryProject.externalId = null
      bad.projects.clear()
      const error = await failure()
      await requireServed()
      const result = error.eventData.nodes.find((node: any) => node.nodeId === nodeId)
      assert.equal(result.error.code, 'registryProjectNotFound')
      assert.include(result.error.message, registryProject.externalName)
      assert.include(result.error.message, `the registry ${bad.host} has no project`)
    })

    test(`a registry that ${name} fails its own nodes and no others`, async ({ assert }) => {
      bad.interference = does
      const error = await failure()
      await requireServed()
      assert.equal(error.code, code)
      assert.match(error.message, /^1 of 2 nodes do not have the image\. south: \S+/)
      const [events] = error.eventData.nodes.filter((node: any) => node.nodeId === nodeId)
      assert.equal(events.status, 'failed')
      assert.equal(events.error.code, code)
      assert.isAbove(events.error.message.length, 10)
      const content = JSON.stringify([error, scene.lines])
      assert.notInclude(content, bad.access.accountSecret)
    })
  }

  test('a registry that stores something else is detected', async ({ assert }) => {
    bad.interference = async ({ method, path, response, serve }) => {
      if (method !== 'PUT' || !path.includes('/manifests/')) {
        return false
      }
      const end = response.end.bind(response)
      response.end = ((...all: []) => {
        response.setHeader('docker-content-digest', `sha256:${'0'.repeat(64)}`)
        return end(...all)
      }) as typeof response.end
      await serve()
      return true
    }
    const error = await failure()
    await requireServed()
    assert.equal(error.code, 'registryAnswerInvalid')
  })

  test('a registry that recovers in time is retried, for its own nodes only', async ({
    assert,
  }) => {
    let fails = 6
    bad.interference = ({ response }) => {
      if (fails-- <= 0) {
        return false
      }
      send(response, 503, '')
      return true
    }
    const events = await scene.run(
      distribution({ stallMs: 2_000, pausesMs: [1, 1, 1, 1, 1, 1, 1] })
    )
    assert.isTrue((events.nodes as any[]).every(({ status }) => status === 'executed'))
    const copied = scene.lines.filter(({ message }) => /Copy .* north .*started/.test(message))
    assert.lengthOf(copied, 1)
  })
})
