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

/** An image whose signature was found to be good, with what a copy of it has to carry. */
export interface SignedImage {
  readonly from: ImageRepository
  readonly image: StoredManifest
  readonly signature: AttachmentLayer
  readonly provenance: AttachmentLayer | undefined
  /** What the provenance states. */
  readonly statement: Statement | undefined
}

/** Throws where the image has no good signature; what is answered is good for as many copies as there are. */
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
 * Has a copy of an image carry the signature and the provenance of the original, since a node looks for them where it pulls. It may be done before
 * the image is there, so that there is never one without. What nobody of ours signed is not carried along.
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
