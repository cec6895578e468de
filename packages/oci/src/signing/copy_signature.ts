import type { ImageRepository } from '#oci/copy_blob'
import type { StoredManifest } from '#oci/image_store'
import { attach } from './attach.js'
import { Attachments, type AttachmentLayer } from './attachments.js'
import { PROVENANCE, SIGNATURE } from './attachment_kinds.js'
import type { ImageKey } from './image_key.js'
import type { Statement } from './provenance.js'
import {
  findProvenance,
  requireImage,
  verifyAttachments,
  type ExpectedIdentity,
} from './verify_image.js'

/** An image with a verified signature, and the attachments that its copies need. */
export interface SignedImage {
  readonly from: ImageRepository
  readonly image: StoredManifest
  readonly signature: AttachmentLayer
  readonly provenance: AttachmentLayer | undefined
  readonly statement: Statement | undefined
}

/** Verifies an image. Throws if it has no valid signature. The result can be used for any number of copies. */
export async function signedImage(
  from: ImageRepository,
  digest: string,
  keys: readonly ImageKey[],
  expected: ExpectedIdentity = {}
): Promise<SignedImage> {
  const image = await requireImage(from, digest)
  const attachments = new Attachments(from, digest)
  const { layer: signature } = await verifyAttachments(attachments, keys, expected)
  const provenance = await findProvenance(attachments, keys)
  const { layer, statement } = provenance ?? {}
  return { from, image, signature, provenance: layer, statement }
}

/**
 * Attaches the signature and provenance of the original to a copy, because nodes verify where they pull. Can run before
 * the copy is pushed, so that it is never unsigned. Attachments of other signers are not copied.
 */
export async function putSignature(signed: SignedImage, to: ImageRepository): Promise<void> {
  const { from, image, signature, provenance } = signed
  const mountFrom = from.store.storageId === to.store.storageId ? from.repository : undefined
  const stored = await to.store.manifest(to.repository, image.digest)
  const existing = stored && new Attachments(to, image.digest)
  const copies = [
    ...(provenance ? [{ kind: PROVENANCE, layer: provenance }] : []),
    { kind: SIGNATURE, layer: signature },
  ]
  await attach(to, image, copies, { from: mountFrom, existing })
}
