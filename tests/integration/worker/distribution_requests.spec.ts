import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { openImageStore } from '#oci/open_image_store'
import { requireManifest } from '#oci/platform_image'
import { referrersTag } from '#oci/registry/referrers'
import { attachmentTag, PROVENANCE, SIGNATURE } from '#oci/signing/attachment_kinds'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import { verifyImage } from '#oci/signing/verify_image'
import { distribution } from '#worker/distribution/distribute_analysis'
import { RegistryServer, send } from '#tests/helpers/core/registry/registry_server'
import { buildFacts } from '#tests/helpers/oci/signed_images/build_facts'
import { DistributionScene, KEY, pushBuild } from '#tests/helpers/worker/distribution_scene'

const distribute = distribution({ stallMs: 2_000, pausesMs: [] })
const LAYERS = [randomBytes(5_000), randomBytes(2_000)]
/** The blobs of provenance, signature and their config. */
const ATTACHED = 3

test.group('Registry requests of a delivery', (group) => {
  let registry: RegistryServer
  let scene: DistributionScene
  let registryId: string
  let digest: string

  group.each.setup(async () => {
    registry = await RegistryServer.start()
    const store = await openImageStore(registry.access)
    scene = await DistributionScene.set({
      folder: () => Promise.reject(new Error('There is no folder')),
      registry: () => store,
    })
    registryId = scene.registry(registry.access)
    registry.projects.add(scene.incomingOf(registryId).split('/')[0]!)
    digest = await pushBuild(store, scene.incomingOf(registryId), LAYERS)
    scene.platform.analysis.buildHash = digest
    return async () => {
      store.close()
      await scene.platform.stop()
      await registry.stop()
    }
  })

  const node = () => {
    const added = scene.node(registryId)
    registry.projects.add(added.repository.split('/')[0]!)
    return added
  }
  /** The requests of an action, without token requests. */
  const requestsOf = async (action: () => Promise<unknown>) => {
    registry.noted.length = 0
    const before = registry.tokens.given
    await action()
    const requests = registry.noted.filter(({ path }) => !path.startsWith('/service/token'))
    return { requests, tokens: registry.tokens.given - before }
  }
  const ofNode = (requests: readonly { method: string; path: string }[], repository: string) =>
    requests.filter(({ path }) => path.startsWith(`/v2/${repository}/`)).map(({ method }) => method)
  /** A registry without a referrers API. */
  const withoutReferrers = () => {
    registry.interference = ({ path, request, response }) => {
      if (path.includes('/referrers/')) {
        send(response, 404, '')
        return true
      }
      response.setHeader = hiding(response.setHeader.bind(response))
      return request.aborted
    }
  }

  test('the requests are a mount per part, the manifests, and a lookup before and after, with one token', async ({
    assert,
  }) => {
    const [one, other] = [node(), node()]
    const { requests, tokens } = await requestsOf(() => scene.run(distribute))
    const mounts = LAYERS.length + 1 + ATTACHED
    for (const { repository } of [one, other]) {
      const methods = ofNode(requests, repository)
      assert.lengthOf(
        methods.filter((method) => method === 'POST'),
        mounts
      )
      assert.lengthOf(
        methods.filter((method) => method === 'PUT'),
        3
      )
      assert.lengthOf(
        methods.filter((method) => method === 'GET'),
        2
      )
      assert.lengthOf(methods, mounts + 5)
    }
    assert.isAtMost(tokens, 4)
  })

  test('the requests include one more index without a referrers API', async ({ assert }) => {
    withoutReferrers()
    const { repository } = node()
    const { requests } = await requestsOf(() => scene.run(distribute))
    assert.lengthOf(ofNode(requests, repository), LAYERS.length + 1 + ATTACHED + 6)
    const store = await openImageStore(registry.access)
    const index = await store.manifest(repository, referrersTag(digest))
    assert.lengthOf(JSON.parse(index!.bytes.toString()).manifests, 2)
    assert.lengthOf(await store.referrers(repository, digest), 2)
    for (const kind of [SIGNATURE, PROVENANCE]) {
      assert.isDefined(await store.manifest(repository, attachmentTag(digest, kind)))
    }
    store.close()
  })

  test('the requests read existing attachments if the image exists', async ({ assert }) => {
    withoutReferrers()
    const { repository } = node()
    await scene.run(distribute)
    const store = await openImageStore(registry.access)
    const hospital = SigningKey.derivedFrom('a key of a hospital, and long enough')
    const image = await requireManifest(store, repository, digest)
    await signImage({ store, repository }, image, buildFacts({ name: scene.id }), hospital)
    const before = await store.referrers(repository, digest)
    await scene.run(distribute)
    for (const key of [hospital, KEY]) {
      await verifyImage({ store, repository }, digest, [key.public], { name: scene.id })
    }
    assert.sameDeepMembers([...(await store.referrers(repository, digest))], [...before])
    store.close()
  })
})

/** Hides the header that acknowledges a subject. */
const hiding =
  <Set extends (name: string, value: never) => unknown>(set: Set) =>
  (name: string, value: never): never =>
    (name.toLowerCase() === 'oci-subject' ? undefined : set(name, value)) as never
