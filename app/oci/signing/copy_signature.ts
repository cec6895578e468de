import type { Shelf } from '#oci/copy_blob'
import type { StoredManifest } from '#oci/image_store'
import { attach } from './attach.js'
import { Attached, type AttachedLayer } from './attached.js'
import { PROVENANCE, SIGNATURE } from './attachment_kinds.js'
import type { ImageKey } from './image_key.js'
import type { Statement } from './provenance.js'
import { attachedProvenance, requireImage, verifyAttached, type Expected } from './verify_image.js'

/** An image whose signature was found to be good, with what a copy of it has to carry. */
export interface SignedImage {
  readonly from: Shelf
  readonly image: StoredManifest
  readonly signature: AttachedLayer
  readonly provenance: AttachedLayer | undefined
  /** What the provenance states. */
  readonly statement: Statement | undefined
}

/** Throws where the image has no good signature; what is answered is good for as many copies as there are. */
export async function signedImage(
  from: Shelf,
  digest: string,
  keys: readonly ImageKey[],
  expected: Expected = {}
): Promise<SignedImage> {
  const image = await requireImage(from, digest)
  const attached = new Attached(from, digest)
  const { layer: signature } = await verifyAttached(attached, keys, expected)
  const provenance = await attachedProvenance(attached, keys)
  const { layer, statement } = provenance ?? {}
  return { from, image, signature, provenance: layer, statement }
}

/**
 * Has a copy of an image carry the signature and the provenance of the original, since a node looks for them where it pulls. It may be done before
 * the image is there, so that there is never one without. What nobody of ours signed is not carried along.
 */
export async function putSignature(signed: SignedImage, to: Shelf): Promise<void> {
  const { from, image, signature, provenance } = signed
  const near = from.store.place === to.store.place ? from.repository : undefined
  const isThere = await to.store.manifest(to.repository, image.digest)
  const before = isThere && new Attached(to, image.digest)
  const attachments = [
    ...(provenance ? [{ kind: PROVENANCE, layer: provenance }] : []),
    { kind: SIGNATURE, layer: signature },
  ]
  await attach(to, image, attachments, { from: near, before })
}
