import { test } from '@japa/runner'

import { digestOf } from '#oci/verified_bytes'
import { ImageFailure } from '#oci/errors'
import type { StoredManifest } from '#oci/image_store'
import { attachmentTag, PROVENANCE, SIGNATURE } from '#oci/signing/attachment_kinds'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import { provenanceOf, verifyImage } from '#oci/signing/verify_image'
import { ANALYSIS, buildFacts } from '#tests/helpers/oci/signed_images/build_facts'
import { CarelessStore } from '#tests/helpers/oci/signed_images/careless_store'

const key = SigningKey.derivedFrom('a key of an application, long enough')
const other = SigningKey.derivedFrom('a key of somebody else, long enough')
const REPOSITORY = `incoming/${ANALYSIS}`

async function scene() {
  const store = new CarelessStore()
  const location = { store, repository: REPOSITORY }
  const image = await store.put(REPOSITORY, 'an image')
  await signImage(location, image, buildFacts(), key)
  const refusalOf = async (digest = image.digest, name = ANALYSIS): Promise<string | null> => {
    try {
      await verifyImage(location, digest, [key.public], { name })
      return null
    } catch (error) {
      if (error instanceof ImageFailure) {
        return error.code
      }
      throw error
    }
  }
  const attachment = async (digest = image.digest, kind = SIGNATURE) => {
    const manifest = await store.manifest(REPOSITORY, attachmentTag(digest, kind))
    return JSON.parse(manifest!.bytes.toString())
  }
  /** Replaces the signature manifest of an image. */
  const replace = async (content: object, digest = image.digest, kind = SIGNATURE) => {
    store.listed.clear()
    const bytes = Buffer.from(JSON.stringify(content))
    const manifest: StoredManifest = { ...image, digest: digestOf(bytes), bytes }
    await store.putManifest(REPOSITORY, manifest, attachmentTag(digest, kind))
  }
  return { store, location, image, refusalOf, attachment, replace }
}

test.group('An image is rejected', () => {
  test('without a signature', async ({ assert }) => {
    const { store, refusalOf } = await scene()
    const unsigned = await store.put(REPOSITORY, 'another image')
    assert.equal(await refusalOf(unsigned.digest), 'signatureMissing')
  })

  test('that is missing, or that the store has changed', async ({ assert }) => {
    const { store, image, refusalOf } = await scene()
    assert.equal(await refusalOf(`sha256:${'0'.repeat(64)}`), 'imageNotFound')
    store.manifests.set(`${REPOSITORY}@${image.digest}`, { ...image, bytes: Buffer.from('{}') })
    assert.equal(await refusalOf(), 'imageNotFound')
  })

  test('that another key signed', async ({ assert }) => {
    const { store, location, refusalOf } = await scene()
    const foreign = await store.put(REPOSITORY, 'another image')
    await signImage(location, foreign, buildFacts(), other)
    assert.equal(await refusalOf(foreign.digest), 'signatureInvalid')
  })

  test('with the signature of another image', async ({ assert }) => {
    const { store, image, refusalOf, attachment, replace } = await scene()
    const foreign = await store.put(REPOSITORY, 'another image')
    const subject = { mediaType: foreign.mediaType, digest: foreign.digest, size: 1 }
    await replace({ ...(await attachment(image.digest)), subject }, foreign.digest)
    assert.equal(await refusalOf(foreign.digest), 'signatureOfAnother')
  })

  test('that was built for another analysis', async ({ assert }) => {
    const { refusalOf } = await scene()
    const another = ANALYSIS.replace(/1$/, '2')
    assert.equal(await refusalOf(undefined, another), 'signatureOfAnother')
  })

  test('with a changed payload, whatever its digest', async ({ assert }) => {
    const { store, image, refusalOf, attachment, replace } = await scene()
    const foreign = await store.put(REPOSITORY, 'another image')
    const content = await attachment(image.digest)
    const [layer] = content.layers
    const text = String(store.blobs.get(`${REPOSITORY}@${layer.digest}`))
    const changed = Buffer.from(text.replace(image.digest, foreign.digest))
    store.blobs.set(`${REPOSITORY}@${layer.digest}`, changed)
    await replace(content, foreign.digest)
    assert.equal(await refusalOf(foreign.digest), 'signatureInvalid')

    const digest = digestOf(changed)
    store.blobs.set(`${REPOSITORY}@${digest}`, changed)
    await replace({ ...content, layers: [{ ...layer, digest }] }, foreign.digest)
    assert.equal(await refusalOf(foreign.digest), 'signatureInvalid')
  })

  test('with an invalid signature', async ({ assert }) => {
    const { refusalOf, attachment, replace } = await scene()
    const content = await attachment()
    const [layer] = content.layers
    for (const annotations of [
      {},
      null,
      { 'dev.cosignproject.cosign/signature': '' },
      { 'dev.cosignproject.cosign/signature': 'not base64 at all' },
      { 'dev.cosignproject.cosign/signature': 7 },
      { 'dev.cosignproject.cosign/signature': 'MA=='.repeat(10_000) },
    ]) {
      await replace({ ...content, layers: [{ ...layer, annotations }] })
      assert.equal(await refusalOf(), 'signatureInvalid', JSON.stringify(annotations))
    }
  })

  test('with a signature over another payload', async ({ assert }) => {
    const { store, location, image, refusalOf, attachment, replace } = await scene()
    const content = await attachment()
    const texts = ['', 'null', '[]', '{}', '{"critical":null}', '{"critical":{"type":"x"}}']
    for (const text of [...texts, '{"critical":{"type":"cosign container image signature"}}']) {
      const bytes = Buffer.from(text)
      const digest = digestOf(bytes)
      store.blobs.set(`${location.repository}@${digest}`, bytes)
      const signature = key.sign(bytes).toString('base64')
      const annotations = { 'dev.cosignproject.cosign/signature': signature }
      const layers = [{ ...content.layers[0], digest, size: bytes.length, annotations }]
      await replace({ ...content, layers }, image.digest)
      assert.equal(await refusalOf(), 'signatureInvalid', text)
    }
  })

  test('with a malformed signature manifest', async ({ assert }) => {
    const { refusalOf, attachment, replace } = await scene()
    const content = await attachment()
    const [layer] = content.layers
    for (const layers of [
      undefined,
      null,
      'layers',
      [null],
      [7],
      [{}],
      [{ ...layer, digest: 'sha256:short' }],
      [{ ...layer, digest: '../../etc/passwd' }],
      [{ ...layer, size: -1 }],
      [{ ...layer, size: 1e300 }],
      [{ ...layer, mediaType: 'application/octet-stream' }],
      [{ ...layer, digest: `sha256:${'0'.repeat(64)}` }],
    ]) {
      await replace({ ...content, layers })
      assert.equal(await refusalOf(), 'signatureMissing', JSON.stringify(layers))
    }
  })
})

test.group('Attachments of an image', () => {
  test('attachments are read up to a limit', async ({ assert }) => {
    const { store, location, image } = await scene()
    store.tagged.delete(`${REPOSITORY}:${attachmentTag(image.digest, SIGNATURE)}`)
    const { artifactType } = SIGNATURE
    const junk = await Promise.all(
      Array.from({ length: 10_000 }, async (_, n) => ({
        ...(await store.put(REPOSITORY, `junk ${n}`)),
        artifactType,
        size: 1,
      }))
    )
    store.listed.set(image.digest, junk)
    store.asked.length = 0
    await assert.rejects(() => verifyImage(location, image.digest, [key.public]), /no signature/)
    assert.isBelow(store.asked.length, 20)
  })

  test('attachments have a limited number and size of layers', async ({ assert }) => {
    const { store, refusalOf, attachment, replace } = await scene()
    const content = await attachment()
    const [layer] = content.layers
    const annotations = { 'dev.cosignproject.cosign/signature': 'AAAA' }
    const bad = { ...layer, annotations }
    await replace({ ...content, layers: [...Array.from({ length: 5_000 }, () => bad), layer] })
    store.asked.length = 0
    assert.equal(await refusalOf(), 'signatureMissing')
    assert.isBelow(store.asked.length, 20)

    await replace({ ...content, layers: [...Array.from({ length: 10 }, () => bad), layer] })
    assert.isNull(await refusalOf())

    store.blobs.set(`${REPOSITORY}@${layer.digest}`, Buffer.alloc(10_000_000, ' '))
    await replace({ ...content, layers: [layer] })
    assert.equal(await refusalOf(), 'signatureMissing')
    await replace({ ...content, layers: [{ ...layer, size: 10_000_000 }] })
    assert.equal(await refusalOf(), 'signatureMissing')
  })
})

test.group('Provenance is ignored', () => {
  test('if it is about another image or signed by another key', async ({ assert }) => {
    const { store, location, image, attachment, replace } = await scene()
    const keys = [key.public]
    assert.isUndefined(await provenanceOf(location, image.digest, [other.public]))
    const foreign = await store.put(REPOSITORY, 'another image')
    await replace(await attachment(image.digest, PROVENANCE), foreign.digest, PROVENANCE)
    assert.isUndefined(await provenanceOf(location, foreign.digest, keys))

    const content = await attachment(image.digest, PROVENANCE)
    const name = `${REPOSITORY}@${content.layers[0].digest}`
    const envelope = JSON.parse(String(store.blobs.get(name)))
    const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString())
    statement.predicate.runDetails.builder.id = 'urn:somebody-else'
    const payload = Buffer.from(JSON.stringify(statement)).toString('base64')
    for (const changed of [
      { ...envelope, payload },
      { ...envelope, payloadType: 'text/plain' },
      { ...envelope, signatures: [] },
      { ...envelope, signatures: [{ sig: 7 }, null] },
      { ...envelope, signatures: Array.from({ length: 100_000 }, () => ({ sig: 'AAAA' })) },
      [],
    ]) {
      store.blobs.set(name, Buffer.from(JSON.stringify(changed)))
      assert.isUndefined(await provenanceOf(location, image.digest, keys))
    }
    store.blobs.set(name, Buffer.from('no JSON'))
    assert.isUndefined(await provenanceOf(location, image.digest, keys))
  })
})
