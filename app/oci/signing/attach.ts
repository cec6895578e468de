import { inParallel } from '#kernel/in_parallel'
import { addressOf } from '#oci/checked_bytes'
import type { Shelf } from '#oci/copy_blob'
import type { Descriptor, Referrer, StoredManifest } from '#oci/image_store'
import { inOnePiece } from '#oci/in_one_piece'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { layersIn, MOST_LAYERS, taggedAttachment, type AttachedLayer } from './attached.js'
import { attachmentTag, type AttachmentKind } from './attachment_kinds.js'
import { SIGNATURE_ANNOTATION } from './simple_signing.js'

const BLOBS_AT_ONCE = 4

/** A layer that is to be attached to an image. */
export interface Attachment {
  readonly kind: AttachmentKind
  readonly layer: AttachedLayer
}

interface Options {
  /** A repository of the same store that has the bytes, if any. */
  readonly from?: string | undefined
  /** The image is not there yet, so that nobody has attached anything to it. */
  readonly isFirst?: boolean
}

/**
 * Attaches layers to an image, beside those that others have attached: as referrers, and under cosign's tags, in this order. The manifests follow from
 * what is in them, so that a copy has the digest of what was copied. What is attached already stays as it is; the image need not be there yet.
 */
export async function attach(
  shelf: Shelf,
  image: StoredManifest,
  attachments: readonly Attachment[],
  { from, isFirst = false }: Options = {}
): Promise<void> {
  const beside = (attachment: Attachment) => made(shelf, image, attachment, isFirst)
  const all = await Promise.all(attachments.map(beside))
  const added = all.filter((one) => one !== undefined)
  const blobs = added.flatMap((one) => one.blobs)
  await inParallel(blobs, BLOBS_AT_ONCE, (blob) => put(shelf, blob, from))
  if (added.length > 0) {
    await shelf.store.putReferrers(shelf.repository, added, isFirst)
  }
}

/** What is to be stored for an attachment; nothing where it is there. */
async function made(
  shelf: Shelf,
  image: StoredManifest,
  { kind, layer: { bytes, annotations } }: Attachment,
  isFirst: boolean
): Promise<(Referrer & { readonly blobs: readonly Buffer[] }) | undefined> {
  const before = isFirst ? undefined : await taggedAttachment(shelf, image.digest, kind)
  const others = before ? layersIn(before, kind) : []
  const own = { mediaType: kind.layerType, ...addressOf(bytes), annotations }
  if (others.some((one) => isSame(one, own))) {
    return undefined
  }
  const layers = [...others.slice(0, MOST_LAYERS - 1), own]
  const config = configOf(layers)
  const described = { mediaType: MEDIA_TYPES.oci.config, ...addressOf(config) }
  return {
    blobs: [bytes, config],
    manifest: manifestOf(image, kind, described, layers),
    tag: attachmentTag(image.digest, kind),
  }
}

const isSame = (one: Descriptor, other: Descriptor): boolean =>
  one.digest === other.digest &&
  one.annotations?.[SIGNATURE_ANNOTATION] === other.annotations?.[SIGNATURE_ANNOTATION]

async function put({ store, repository }: Shelf, bytes: Buffer, from?: string): Promise<void> {
  const wanted = addressOf(bytes)
  const isMounted = from !== undefined && (await store.mountBlob(repository, wanted.digest, from))
  if (!isMounted && !(await store.hasBlob(repository, wanted.digest))) {
    await store.writeBlob(repository, () => inOnePiece(bytes), wanted)
  }
}

/** Tools for images expect one, although nothing of this is ever unpacked. */
function configOf(layers: readonly Descriptor[]): Buffer {
  const rootfs = { type: 'layers', diff_ids: layers.map(({ digest }) => digest) }
  return Buffer.from(JSON.stringify({ architecture: '', os: '', config: {}, rootfs }))
}

function manifestOf(
  { mediaType, digest, bytes: image }: StoredManifest,
  { artifactType }: AttachmentKind,
  config: Descriptor,
  layers: readonly Descriptor[]
): StoredManifest {
  const subject = { mediaType, digest, size: image.length }
  const type = MEDIA_TYPES.oci.manifest
  const said = { schemaVersion: 2, mediaType: type, artifactType, config, layers, subject }
  return storedManifest(type, said)
}
