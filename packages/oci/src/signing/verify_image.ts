import { digestOf } from '#oci/verified_bytes'
import type { ImageRepository } from '#oci/copy_blob'
import { ImageMissing } from '#oci/errors'
import type { StoredManifest } from '#oci/image_store'
import { Attachments, type AttachmentLayer } from './attachments.js'
import { PROVENANCE, SIGNATURE } from './attachment_kinds.js'
import { openEnvelope } from './envelope.js'
import { SignatureRejected, type SignatureErrorCode } from './signature_rejected.js'
import { identityOf } from './identity.js'
import type { ImageKey } from './image_key.js'
import { parseProvenance, type Statement } from './provenance.js'
import { parseClaim, SIGNATURE_ANNOTATION, type Claim } from './simple_signing.js'

export interface VerifiedSignature {
  readonly claim: Claim
  /** The key that verified the signature. */
  readonly key: ImageKey
  readonly layer: AttachmentLayer
}

export interface ExpectedIdentity {
  /** The expected image: an analysis ID or `master/<virtualPath>`. Any if left out. */
  readonly name?: string
}

/** Finds a signature by one of the keys, or throws. Trusts only the signed payload, not its annotations or location. */
export async function verifyImage(
  repository: ImageRepository,
  digest: string,
  keys: readonly ImageKey[],
  expected: ExpectedIdentity = {}
): Promise<VerifiedSignature> {
  await requireImage(repository, digest)
  return verifyAttachments(new Attachments(repository, digest), keys, expected)
}

/** Like `verifyImage`, for an image that is known to exist. */
export async function verifyAttachments(
  attachments: Attachments,
  keys: readonly ImageKey[],
  { name }: ExpectedIdentity
): Promise<VerifiedSignature> {
  const { digest } = attachments
  const identity = name === undefined ? undefined : identityOf(name)
  let failure: SignatureErrorCode = 'signatureMissing'
  for await (const layer of attachments.layers(SIGNATURE)) {
    const verified = verifiedLayer(layer, keys)
    if (verified && matches(verified.claim, digest, identity)) {
      return verified
    }
    failure = verified
      ? 'signatureOfAnother'
      : failure === 'signatureMissing'
        ? 'signatureInvalid'
        : failure
  }
  throw new SignatureRejected(failure, digest)
}

/** The provenance of an image, if one of the keys signed it. */
export const provenanceOf = (
  repository: ImageRepository,
  digest: string,
  keys: readonly ImageKey[]
) => findProvenance(new Attachments(repository, digest), keys)

export async function findProvenance(
  attachments: Attachments,
  keys: readonly ImageKey[]
): Promise<{ statement: Statement; key: ImageKey; layer: AttachmentLayer } | undefined> {
  for await (const layer of attachments.layers(PROVENANCE)) {
    const opened = openEnvelope(layer.bytes, keys)
    const statement = opened && parseProvenance(opened.statement, attachments.digest)
    if (statement) {
      return { statement, key: opened.key, layer }
    }
  }
  return undefined
}

/** Reads a manifest and verifies its digest independently of the store. */
export async function requireImage(
  { store, repository }: ImageRepository,
  digest: string
): Promise<StoredManifest> {
  const manifest = await store.manifest(repository, digest)
  if (!manifest || digestOf(manifest.bytes) !== digest) {
    throw new ImageMissing(repository, digest)
  }
  return manifest
}

function verifiedLayer(
  layer: AttachmentLayer,
  keys: readonly ImageKey[]
): VerifiedSignature | undefined {
  const signature = Buffer.from(layer.annotations[SIGNATURE_ANNOTATION] ?? '', 'base64')
  const key = keys.find((one) => one.verifies(layer.bytes, signature))
  const claim = key && parseClaim(layer.bytes)
  return claim && { claim, key, layer }
}

function matches(claim: Claim, digest: string, identity: string | undefined): boolean {
  return claim.digest === digest && (identity === undefined || claim.identity === identity)
}
