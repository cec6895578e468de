import { allOf } from '#kernel/all_of'
import { inParallel } from '#kernel/in_parallel'
import { addressOf } from '#oci/checked_bytes'
import type { Shelf } from '#oci/copy_blob'
import type { Descriptor, Referrer, StoredManifest } from '#oci/image_store'
import { inOnePiece } from '#oci/in_one_piece'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { layersIn, MOST_LAYERS, type Attached, type AttachedLayer } from './attached.js'
import { attachmentTag, PROVENANCE, SIGNATURE, type AttachmentKind } from './attachment_kinds.js'
import { SIGNATURE_ANNOTATION } from './simple_signing.js'

const BLOBS_AT_ONCE = 4

/** Tools for images expect one. Nothing of this is ever unpacked, so it is the same for all, and there once. */
const CONFIG = Buffer.from(
  JSON.stringify({
    architecture: '',
    os: '',
    config: {},
    rootfs: { type: 'layers', diff_ids: [] },
  })
)

/** A layer that is to be attached to an image. */
export interface Attachment {
  readonly kind: AttachmentKind
  readonly layer: AttachedLayer
}

interface Options {
  /** A repository of the same store that has the bytes, if any. */
  readonly from?: string | undefined
  /** What is attached to the image already; nothing can be where the image is not there yet, or was not until now. */
  readonly before: Attached | undefined
  /** When the image is there, where it is put meanwhile: nothing is found beside it before that. */
  readonly isThere?: Promise<unknown> | undefined
  /** When `putAttachmentConfig` has put it, where that was begun before. */
  readonly configIsThere?: Promise<unknown> | undefined
}

/** What all attachments have as their config. It can be put before it is known what is attached. */
export const putAttachmentConfig = (shelf: Shelf, from?: string): Promise<void> =>
  put(shelf, CONFIG, from)

/**
 * Attaches layers to an image, beside those that others have attached: as referrers, and under cosign's tags, in this order. The manifests follow from
 * what is in them, so that a copy has the digest of what was copied. What is attached already stays as it is, and is listed where it is not yet; the
 * image need not be there yet.
 */
export async function attach(
  shelf: Shelf,
  image: StoredManifest,
  attachments: readonly Attachment[],
  { from, before, isThere, configIsThere }: Options
): Promise<void> {
  const beside = (attachment: Attachment) => made(image, attachment, before)
  const all = await Promise.all(attachments.map(beside))
  const added = all.filter((one) => one !== undefined)
  const unlisted = before ? await unlistedBeside(before, added) : []
  if (added.length + unlisted.length === 0) {
    return
  }
  await allOf([
    isThere,
    configIsThere ?? putAttachmentConfig(shelf, from),
    inParallel(added, BLOBS_AT_ONCE, ({ bytes }) => put(shelf, bytes, from)),
  ])
  await shelf.store.putReferrers(shelf.repository, [...unlisted, ...added], before === undefined)
}

/** What is to be stored for an attachment; nothing where it is there. */
async function made(
  image: StoredManifest,
  { kind, layer: { bytes, annotations } }: Attachment,
  before: Attached | undefined
): Promise<(Referrer & { readonly bytes: Buffer }) | undefined> {
  const tagged = await before?.tagged(kind)
  const others = tagged ? layersIn(tagged, kind) : []
  const own = { mediaType: kind.layerType, ...addressOf(bytes), annotations }
  if (others.some((one) => isSame(one, own))) {
    return undefined
  }
  const layers = [...others.slice(0, MOST_LAYERS - 1), own]
  return {
    bytes,
    manifest: manifestOf(image, kind, layers),
    tag: attachmentTag(image.digest, kind),
  }
}

/** What was attached before, as far as nothing takes its tag now. */
async function unlistedBeside(before: Attached, added: readonly Referrer[]): Promise<Referrer[]> {
  const unlisted = await Promise.all([PROVENANCE, SIGNATURE].map((kind) => before.unlisted(kind)))
  const isReplaced = ({ tag }: Referrer) => added.some((one) => one.tag === tag)
  return unlisted.filter((one) => one !== undefined).filter((one) => !isReplaced(one))
}

const isSame = (one: Descriptor, other: Descriptor): boolean =>
  one.digest === other.digest &&
  one.annotations?.[SIGNATURE_ANNOTATION] === other.annotations?.[SIGNATURE_ANNOTATION]

/** Nobody asks first whether it is there: that is hardly ever so, and asking takes as long as sending what is so short. */
async function put({ store, repository }: Shelf, bytes: Buffer, from?: string): Promise<void> {
  const wanted = addressOf(bytes)
  const isMounted = from !== undefined && (await store.mountBlob(repository, wanted.digest, from))
  if (!isMounted) {
    await store.writeBlob(repository, () => inOnePiece(bytes), wanted)
  }
}

function manifestOf(
  { mediaType, digest, bytes: image }: StoredManifest,
  { artifactType }: AttachmentKind,
  layers: readonly Descriptor[]
): StoredManifest {
  const config = { mediaType: MEDIA_TYPES.oci.config, ...addressOf(CONFIG) }
  const subject = { mediaType, digest, size: image.length }
  const type = MEDIA_TYPES.oci.manifest
  const said = { schemaVersion: 2, mediaType: type, artifactType, config, layers, subject }
  return storedManifest(type, said)
}
