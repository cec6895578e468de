import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { FolderStore } from '#oci/folder/folder_store'
import type { ImageStore } from '#oci/image_store'
import { SIGNATURE, attachmentTag } from '#oci/signing/attachment_kinds'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import { provenanceOf, verifyImage } from '#oci/signing/verify_image'
import { distribution } from '#worker/distribution/distribute_analysis'
import { putImage } from '#tests/helpers/oci/images'
import { buildFacts } from '#tests/helpers/oci/signed_images/build_facts'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { DistributionScene, KEY, pushBuild } from '#tests/helpers/worker/distribution_scene'

const distribute = distribution({ stallMs: 2_000, pausesMs: [] })
const another = SigningKey.derivedFrom('a key of somebody else, long enough')

test.group('Signatures in a distribution', (group) => {
  let scene: DistributionScene
  let store: ImageStore
  let elsewhere: ImageStore
  let registryId: string
  let repository: string

  group.each.setup(async ({ context }) => {
    const folder = await temporaryFolder((undo) => context.test.cleanup(undo))
    store = await FolderStore.open(join(folder, 'one'))
    elsewhere = await FolderStore.open(join(folder, 'other'))
    scene = await DistributionScene.set({
      folder: async () => store,
      registry: ({ host }) => (host === 'one.example' ? store : elsewhere),
    })
    registryId = scene.registry({ host: 'one.example' })
    repository = scene.incomingOf(registryId)
    return () => scene.platform.stop()
  })

  /** The error code if nothing was delivered, or null if everything was. */
  const failure = async (): Promise<string | null> => {
    try {
      await scene.run(distribute)
      return null
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  test('each node has signature and provenance where it pulls', async ({ assert }) => {
    const digest = await pushBuild(store, repository, [randomBytes(100)])
    scene.platform.analysis.buildHash = digest
    const far = scene.registry({ host: 'other.example' })
    const nodes = [
      { store, ...scene.node(registryId) },
      { store: elsewhere, ...scene.node(far) },
      { store: elsewhere, ...scene.node(far) },
    ]
    assert.isNull(await failure())
    for (const node of nodes) {
      await verifyImage(node, digest, [KEY.public], { name: scene.id })
      assert.exists(await provenanceOf(node, digest, [KEY.public]))
      assert.lengthOf(await node.store.referrers(node.repository, digest), 2)
    }
    const [first] = nodes
    const tag = attachmentTag(digest, SIGNATURE)
    const before = await store.manifest(first!.repository, tag)
    assert.isNull(await failure())
    const after = await store.manifest(first!.repository, tag)
    assert.equal(after!.digest, before!.digest)
  })

  test('images not signed by this hub for this analysis are not delivered', async ({ assert }) => {
    const { repository: goal } = scene.node(registryId)
    const image = await putImage(store, repository, { tag: 'latest' })
    scene.platform.analysis.buildHash = image.digest
    scene.platform.content = undefined
    const sign = (name: string, by: SigningKey) =>
      signImage({ store, repository }, image, buildFacts({ name }), by)

    assert.equal(await failure(), 'signatureMissing')
    await sign(scene.id, another)
    assert.equal(await failure(), 'signatureInvalid')
    await sign('another-analysis', KEY)
    assert.equal(await failure(), 'signatureOfAnother')
    assert.isUndefined(await store.manifest(goal, 'latest'))
    await sign(scene.id, KEY)
    assert.isNull(await failure())
  })

  test('an image pushed in place of the build is not delivered', async ({ assert }) => {
    const { repository: goal } = scene.node(registryId)
    const digest = await pushBuild(store, repository, [randomBytes(100)])
    const evil = await putImage(store, repository, { files: { evil: 'yes' } })
    const sig = await store.manifest(repository, attachmentTag(digest, SIGNATURE))
    await store.putManifest(repository, sig!, attachmentTag(evil.digest, SIGNATURE))
    scene.platform.analysis.buildHash = evil.digest
    assert.equal(await failure(), 'signatureOfAnother')
    scene.platform.analysis.buildHash = digest
    assert.isNull(await failure())
    const { digest: got } = (await store.manifest(goal, 'latest'))!
    assert.equal(got, digest)
  })

  test('the platform determines the accepted keys', async ({ assert }) => {
    scene.node(registryId)
    const digest = await pushBuild(store, repository, [randomBytes(100)])
    scene.platform.analysis.buildHash = digest
    scene.platform.imageKeys = [another.public.pem]
    assert.equal(await failure(), 'signatureInvalid')
    scene.platform.imageKeys = [another.public.pem, KEY.public.pem]
    assert.isNull(await failure())
  })
})
