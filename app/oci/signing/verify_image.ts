import { digestOf } from '#oci/checked_bytes'
import type { Shelf } from '#oci/copy_blob'
import { ImageMissing } from '#oci/errors'
import type { StoredManifest } from '#oci/image_store'
import { Attached, type AttachedLayer } from './attached.js'
import { PROVENANCE, SIGNATURE } from './attachment_kinds.js'
import { openEnvelope } from './envelope.js'
import { ImageRefused, type RefusalCode } from './failures.js'
import { identityOf } from './identity.js'
import type { ImageKey } from './image_key.js'
import { provenanceIn, type Statement } from './provenance.js'
import { claimIn, SIGNATURE_ANNOTATION, type Claim } from './simple_signing.js'

export interface Verified {
  readonly claim: Claim
  /** Whose signature it is. */
  readonly key: ImageKey
  readonly layer: AttachedLayer
}

export interface Expected {
  /** Of what the image has to be: the id of an analysis, or `master/<virtualPath>`; any where it is left out. */
  readonly name?: string
}

/**
 * Finds the signature of an image by one of the keys, or throws why there is none. What is believed is what was signed: nothing of what stands beside
 * it, nor where it was found.
 */
export async function verifyImage(
  shelf: Shelf,
  digest: string,
  keys: readonly ImageKey[],
  expected: Expected = {}
): Promise<Verified> {
  await requireImage(shelf, digest)
  return verifyAttached(new Attached(shelf, digest), keys, expected)
}

/** As `verifyImage`, for an image that is known to be there. */
export async function verifyAttached(
  attached: Attached,
  keys: readonly ImageKey[],
  { name }: Expected
): Promise<Verified> {
  const { digest } = attached
  const identity = name === undefined ? undefined : identityOf(name)
  let found: RefusalCode = 'signatureMissing'
  for await (const layer of attached.layers(SIGNATURE)) {
    const verified = verifiedLayer(layer, keys)
    if (verified && isAbout(verified.claim, digest, identity)) {
      return verified
    }
    found = verified
      ? 'signatureOfAnother'
      : found === 'signatureMissing'
        ? 'signatureInvalid'
        : found
  }
  throw new ImageRefused(found, digest)
}

/** How the image came to be, where one of the keys signed that. */
export const provenanceOf = (shelf: Shelf, digest: string, keys: readonly ImageKey[]) =>
  attachedProvenance(new Attached(shelf, digest), keys)

export async function attachedProvenance(
  attached: Attached,
  keys: readonly ImageKey[]
): Promise<{ statement: Statement; key: ImageKey; layer: AttachedLayer } | undefined> {
  for await (const layer of attached.layers(PROVENANCE)) {
    const opened = openEnvelope(layer.bytes, keys)
    const statement = opened && provenanceIn(opened.statement, attached.digest)
    if (statement) {
      return { statement, key: opened.key, layer }
    }
  }
  return undefined
}

/** The manifest of this digest, whatever the store says of it. */
export async function requireImage(
  { store, repository }: Shelf,
  digest: string
): Promise<StoredManifest> {
  const manifest = await store.manifest(repository, digest)
  if (!manifest || digestOf(manifest.bytes) !== digest) {
    throw new ImageMissing(repository, digest)
  }
  return manifest
}

function verifiedLayer(layer: AttachedLayer, keys: readonly ImageKey[]): Verified | undefined {
  const signature = Buffer.from(layer.annotations[SIGNATURE_ANNOTATION] ?? '', 'base64')
  const key = keys.find((one) => one.verifies(layer.bytes, signature))
  const claim = key && claimIn(layer.bytes)
  return claim && { claim, key, layer }
}

function isAbout(claim: Claim, digest: string, identity: string | undefined): boolean {
  return claim.digest === digest && (identity === undefined || claim.identity === identity)
}
