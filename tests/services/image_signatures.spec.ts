import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import type { ImageRepository } from '#oci/copy_blob'
import type { ImageStore, StoredManifest } from '#oci/image_store'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { RegistryStore } from '#oci/registry/registry_store'
import { attachmentTag, PROVENANCE, SIGNATURE } from '#oci/signing/attachment_kinds'
import { putSignature, signedImage } from '#oci/signing/copy_signature'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import { verifyImage } from '#oci/signing/verify_image'
import { ANALYSIS, buildFacts } from '#tests/helpers/oci/signed_images/build_facts'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { startDockerRegistry, type DockerRegistry } from '#tests/services/servers/docker_registry'

const run = promisify(execFile)
/** Debian has none, and its skopeo and podman do not verify signatures of this kind. */
const COSIGN = process.env.COSIGN_TEST_PROGRAM
const ANOTHER = ANALYSIS.replace(/1$/, '2')
const key = SigningKey.derivedFrom('a key of an application, long enough')

/** The smallest image that a registry and a node take for one. */
async function putImage(
  { store, repository }: ImageRepository,
  text: string
): Promise<StoredManifest> {
  const { config, layer, manifest } = MEDIA_TYPES.oci
  const put = (bytes: string) => store.writeBlob(repository, () => oneOf(Buffer.from(bytes)))
  const layerOf = await put(text)
  const output = {
    architecture: 'amd64',
    os: 'linux',
    config: {},
    rootfs: { type: 'layers', diff_ids: [layerOf.digest] },
  }
  const stored = storedManifest(manifest, {
    schemaVersion: 2,
    mediaType: manifest,
    config: { mediaType: config, ...(await put(JSON.stringify(output))) },
    layers: [{ mediaType: layer.replace('+gzip', ''), ...layerOf }],
  })
  await store.putManifest(repository, stored, 'latest')
  return stored
}

async function* oneOf(bytes: Buffer) {
  yield bytes
}

test.group('Images in a real registry', (group) => {
  let registry: DockerRegistry
  let store: ImageStore
  const leftovers: (() => Promise<void>)[] = []

  group.setup(async () => {
    registry = await startDockerRegistry()
    store = RegistryStore.open(registry.access)
    return async () => {
      store.close()
      await registry.server.stop()
      await Promise.all(leftovers.map((undo) => undo()))
    }
  })

  /** An image of an analysis, signed, and copied to a node. */
  async function distributed(analysis: string, by = key) {
    const from = { store, repository: `incoming/${analysis}` }
    const image = await putImage(from, `code of ${analysis}`)
    await signImage(from, image, buildFacts({ name: analysis }), by)
    const to = { store, repository: `node-1/${analysis}` }
    const signed = await signedImage(from, image.digest, [by.public], { name: analysis })
    await putSignature(signed, to)
    await putImage(to, `code of ${analysis}`)
    return { image, to }
  }

  /** What docs/image-signatures.md tells a node to ask, of a copy that the distributor has made. */
  async function cosign(command: readonly string[], analysis: string, pem = key.public.pem) {
    const { host, accountName, accountSecret } = registry.access
    const folder = await temporaryFolder((undo) => void leftovers.push(undo))
    const auth = Buffer.from(`${accountName}:${accountSecret}`).toString('base64')
    await writeFile(join(folder, 'config.json'), JSON.stringify({ auths: { [host]: { auth } } }))
    const pub = join(folder, 'hub.pub')
    await writeFile(pub, pem)
    const reference = `${host}/node-1/${analysis}:latest`
    const options = ['--key', pub, '--insecure-ignore-tlog=true', '--allow-http-registry']
    const [name, ...more] = command
    const { stdout } = await run(COSIGN!, [name!, ...options, ...more, reference], {
      env: { ...process.env, DOCKER_CONFIG: folder, HOME: folder },
    })
    return stdout
  }

  test('images are verified by cosign as the documentation says', async ({ assert }) => {
    const { image } = await distributed(ANALYSIS)
    const output = await cosign(['verify', '-a', `analysis=${ANALYSIS}`], ANALYSIS)
    assert.include(output, image.digest)
    const attestation = ['verify-attestation', '--type', 'slsaprovenance1']
    const { payload } = JSON.parse(await cosign(attestation, ANALYSIS))
    const statement = JSON.parse(Buffer.from(payload, 'base64').toString())
    assert.equal(statement.predicate.runDetails.builder.id, 'urn:analysis-hub:worker')
  }).skip(COSIGN === undefined, 'COSIGN_TEST_PROGRAM names no cosign')

  test('images are refused by cosign without a signature, by another key, or of another analysis', async ({
    assert,
  }) => {
    const { image } = await distributed(ANALYSIS)
    const foreign = SigningKey.derivedFrom('a key of somebody else, long enough').public.pem
    await assert.rejects(() => cosign(['verify'], ANALYSIS, foreign), /invalid signature/)
    await putImage({ store, repository: 'node-1/unsigned' }, 'unsigned')
    await assert.rejects(() => cosign(['verify'], 'unsigned'), /no signatures found/)

    // A good image with its own good signature, where another one should be.
    const wrong = { store, repository: `node-1/${ANOTHER}` }
    await putImage(wrong, `code of ${ANALYSIS}`)
    const from = { store, repository: `incoming/${ANALYSIS}` }
    await putSignature(await signedImage(from, image.digest, [key.public]), wrong)
    const requested = ['verify', '-a', `analysis=${ANOTHER}`]
    await assert.rejects(() => cosign(requested, ANOTHER), /missing or incorrect annotation/)
    await assert.rejects(
      () => verifyImage(wrong, image.digest, [key.public], { name: ANOTHER }),
      /belongs to another image/
    )
  }).skip(COSIGN === undefined, 'COSIGN_TEST_PROGRAM names no cosign')

  test('images have signatures that openssl verifies', async ({ assert, cleanup }) => {
    const { image, to } = await distributed(ANALYSIS)
    const folder = await temporaryFolder(cleanup)
    const { layer } = await verifyImage(to, image.digest, [key.public])
    const files = ['payload', 'signature', 'hub.pub'].map((name) => join(folder, name))
    const [payload, signature, pub] = files as [string, string, string]
    await writeFile(payload, layer.bytes)
    const encoded = layer.annotations['dev.cosignproject.cosign/signature']!
    await writeFile(signature, Buffer.from(encoded, 'base64'))
    await writeFile(pub, key.public.pem)
    const verify = () =>
      run('openssl', ['dgst', '-sha256', '-verify', pub, '-signature', signature, payload])
    const { stdout } = await verify()
    assert.include(stdout, 'Verified OK')
    const der = join(folder, 'hub.der')
    await run('openssl', ['pkey', '-pubin', '-in', pub, '-outform', 'der', '-out', der])
    const { stdout: sum } = await run('sha256sum', [der])
    assert.equal(sum.split(' ')[0], key.public.fingerprint)
    await writeFile(payload, Buffer.concat([layer.bytes, Buffer.from(' ')]))
    await assert.rejects(verify)
  })

  test('list both as referring to them, and have them under the tags of cosign', async ({
    assert,
  }) => {
    const { image, to } = await distributed(ANALYSIS)
    const listed = await store.referrers(to.repository, image.digest)
    assert.sameMembers(
      listed.map(({ artifactType }) => artifactType),
      [SIGNATURE.artifactType, PROVENANCE.artifactType]
    )
    const tags = await store.tags(to.repository)
    assert.includeMembers(
      [...tags],
      [attachmentTag(image.digest, SIGNATURE), attachmentTag(image.digest, PROVENANCE)]
    )
  })

  test('that are signed twice, or copied twice, have one signature', async ({ assert }) => {
    await distributed(ANALYSIS)
    const { image, to } = await distributed(ANALYSIS)
    const listed = await store.referrers(to.repository, image.digest)
    assert.lengthOf(listed, 2)
  })
})
