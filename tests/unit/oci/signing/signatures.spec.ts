import { test } from '@japa/runner'

import { attachmentTag, PROVENANCE, SIGNATURE } from '#oci/signing/attachment_kinds'
import { putSignature, signedImage } from '#oci/signing/copy_signature'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import { provenanceOf, verifyImage } from '#oci/signing/verify_image'
import { ANALYSIS, buildFacts, digest } from '#tests/helpers/oci/signed_images/build_facts'
import { CarelessStore } from '#tests/helpers/oci/signed_images/careless_store'

const key = SigningKey.derivedFrom('a key of an application, long enough')
const REPOSITORY = `incoming/${ANALYSIS}`

async function signed() {
  const store = new CarelessStore()
  const location = { store, repository: REPOSITORY }
  const image = await store.put(REPOSITORY, 'an image')
  await signImage(location, image, buildFacts(), key)
  return { store, location, image }
}

test.group('A signature', () => {
  test('a signature names the analysis in the format of cosign', async ({ assert }) => {
    const { store, location, image } = await signed()
    const verified = await verifyImage(location, image.digest, [key.public], { name: ANALYSIS })
    assert.equal(verified.claim.digest, image.digest)
    assert.equal(verified.claim.identity, `analysis-hub.invalid/${ANALYSIS}:latest`)
    assert.equal(verified.key.fingerprint, key.public.fingerprint)

    const tag = `${image.digest.replace(':', '-')}.sig`
    const manifest = await store.manifest(REPOSITORY, tag)
    const content = JSON.parse(manifest!.bytes.toString())
    assert.equal(content.artifactType, 'application/vnd.dev.cosign.artifact.sig.v1+json')
    assert.deepEqual(content.subject, {
      mediaType: image.mediaType,
      digest: image.digest,
      size: image.bytes.length,
    })
    const [layer] = content.layers
    assert.equal(layer.mediaType, 'application/vnd.dev.cosign.simplesigning.v1+json')
    assert.deepEqual(JSON.parse(String(store.blobs.get(`${REPOSITORY}@${layer.digest}`))), {
      critical: {
        identity: { 'docker-reference': `analysis-hub.invalid/${ANALYSIS}:latest` },
        image: { 'docker-manifest-digest': image.digest },
        type: 'cosign container image signature',
      },
      optional: { creator: 'analysis-hub', analysis: ANALYSIS },
    })
  })

  test('a signature is not repeated, nor is the provenance', async ({ assert }) => {
    const { store, location, image } = await signed()
    const { writes } = store
    const later = { run: 'run 2', startedAt: new Date(), finishedAt: new Date() }
    await signImage(location, image, buildFacts(later), key)
    assert.equal(store.writes, writes)
  })

  test('a signature is listed, with the provenance, if the process crashed before {$self} were')
    .with(['both', 'signatures', 'provenances'])
    .run(async ({ assert }, which) => {
      const { store, location, image } = await signed()
      const all = store.listed.get(image.digest)!
      const remaining = { both: [], signatures: all.slice(0, 1), provenances: all.slice(1) }[which]!
      const { size } = store.manifests
      store.listed.set(image.digest, remaining)
      await signImage(location, image, buildFacts({ startedAt: new Date() }), key)
      assert.sameDeepMembers(store.listed.get(image.digest)!, all)
      assert.equal(store.manifests.size, size)
    })

  test('a signature is found as a referrer without a tag', async ({ assert }) => {
    const { store, location, image } = await signed()
    store.tagged.clear()
    await verifyImage(location, image.digest, [key.public])
    assert.exists(await provenanceOf(location, image.digest, [key.public]))
  })

  test('a signature stays beside those of others', async ({ assert }) => {
    const { location, image, store } = await signed()
    const other = SigningKey.derivedFrom('a key of a hospital, and long enough')
    await signImage(location, image, buildFacts(), other)
    store.listed.clear()
    await verifyImage(location, image.digest, [key.public])
    await verifyImage(location, image.digest, [other.public])
    const former = SigningKey.derivedFrom('a key that nobody used, long enough')
    await assert.rejects(() => verifyImage(location, image.digest, [former.public]))
  })

  test('by one of several keys is enough', async () => {
    const { location, image } = await signed()
    const next = SigningKey.derivedFrom('the key that is to come, long enough')
    await verifyImage(location, image.digest, [next.public, key.public])
  })
})

test.group('The provenance', () => {
  test('provenance lists the inputs of the image by digest', async ({ assert }) => {
    const { location, image } = await signed()
    const found = await provenanceOf(location, image.digest, [key.public])
    assert.deepEqual(found!.statement, {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        {
          name: `analysis-hub.invalid/${ANALYSIS}`,
          digest: { sha256: image.digest.slice('sha256:'.length) },
        },
      ],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: {
          buildType: 'urn:analysis-hub:build:analysis:1',
          externalParameters: buildFacts().parameters,
          resolvedDependencies: [
            {
              name: 'base',
              uri: 'oci://local-images/master/python/base',
              digest: { sha256: '2'.repeat(64) },
            },
            { name: '/opt/code/main.py', digest: { sha256: '3'.repeat(64) } },
          ],
        },
        runDetails: {
          builder: { id: 'urn:analysis-hub:worker', version: { 'analysis-hub': '0.1.0' } },
          metadata: {
            invocationId: 'run 1',
            startedOn: '2026-11-22T10:00:00.000Z',
            finishedOn: '2026-11-22T10:00:02.000Z',
          },
        },
      },
    })
  })

  test('provenance is repeated if the same image has other inputs', async ({ assert }) => {
    const { location, image } = await signed()
    const materials = [{ name: 'base', digest: digest('4') }]
    await signImage(location, image, buildFacts({ materials }), key)
    const tag = attachmentTag(image.digest, PROVENANCE)
    const manifest = await location.store.manifest(REPOSITORY, tag)
    assert.lengthOf(JSON.parse(manifest!.bytes.toString()).layers, 2)
  })
})

test.group('Copies of signed images', () => {
  const NODE = `node-1/${ANALYSIS}`

  test('a copy carries signature and provenance unchanged', async ({ assert }) => {
    const { location, image } = await signed()
    const to = { store: new CarelessStore(), repository: NODE }
    await to.store.putManifest(NODE, image, 'latest')
    const one = await signedImage(location, image.digest, [key.public], { name: ANALYSIS })
    await putSignature(one, to)
    await verifyImage(to, image.digest, [key.public], { name: ANALYSIS })
    for (const kind of [SIGNATURE, PROVENANCE]) {
      const tag = attachmentTag(image.digest, kind)
      const [original, copy] = await Promise.all([
        location.store.manifest(REPOSITORY, tag),
        to.store.manifest(NODE, tag),
      ])
      assert.equal(copy!.digest, original!.digest)
    }
    const { writes } = to.store
    await putSignature(one, to)
    assert.equal(to.store.writes, writes)
  })

  test('a copy keeps existing attachments at the target', async ({ assert }) => {
    const { location, image } = await signed()
    const to = { store: new CarelessStore(), repository: NODE }
    await to.store.putManifest(NODE, image, 'latest')
    const hospital = SigningKey.derivedFrom('a key of a hospital, and long enough')
    await signImage(to, image, buildFacts(), hospital)
    await putSignature(await signedImage(location, image.digest, [key.public]), to)
    to.store.listed.clear()
    await verifyImage(to, image.digest, [key.public])
    await verifyImage(to, image.digest, [hospital.public])
    assert.exists(await provenanceOf(to, image.digest, [hospital.public]))
  })

  test('a copy of an unsigned image is rejected', async ({ assert }) => {
    const store = new CarelessStore()
    const image = await store.put(REPOSITORY, 'an image')
    await assert.rejects(
      () => signedImage({ store, repository: REPOSITORY }, image.digest, [key.public]),
      /has no signature/
    )
  })
})
