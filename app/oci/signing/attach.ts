import { awaitAll } from '#kernel/await_all'
import { inParallel } from '#kernel/in_parallel'
import { addressOf } from '#oci/verified_bytes'
import type { ImageRepository } from '#oci/copy_blob'
import type { Descriptor, Referrer, StoredManifest } from '#oci/image_store'
import { singleChunk } from '#oci/single_chunk'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { layersIn, MAX_LAYERS, type Attachments, type AttachmentLayer } from './attachments.js'
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
  readonly layer: AttachmentLayer
}

interface AttachOptions {
  /** A repository of the same store that has the bytes, if any. */
  readonly from?: string | undefined
  /** What is attached to the image already; nothing can be where the image is not there yet, or was not until now. */
  readonly existing: Attachments | undefined
  /** When the image is there, where it is put meanwhile: nothing is found beside it before that. */
  readonly imagePushed?: Promise<unknown> | undefined
  /** When `putAttachmentConfig` has put it, where that was begun before. */
  readonly configPushed?: Promise<unknown> | undefined
}

/** What all attachments have as their config. It can be put before it is known what is attached. */
export const putAttachmentConfig = (target: ImageRepository, from?: string): Promise<void> =>
  putBlob(target, CONFIG, from)

/**
 * Attaches layers to an image, beside those that others have attached: as referrers, and under cosign's tags, in this order. The manifests follow from
 * what is in them, so that a copy has the digest of what was copied. What is attached already stays as it is, and is listed where it is not yet; the
 * image need not be there yet.
 */
export async function attach(
  target: ImageRepository,
  image: StoredManifest,
  attachments: readonly Attachment[],
  { from, existing, imagePushed, configPushed }: AttachOptions
): Promise<void> {
  const build = (attachment: Attachment) => buildReferrer(image, attachment, existing)
  const all = await Promise.all(attachments.map(build))
  const added = all.filter((one) => one !== undefined)
  const unlisted = existing ? await findUnlisted(existing, added) : []
  if (added.length + unlisted.length === 0) {
    return
  }
  await awaitAll([
    imagePushed,
    configPushed ?? putAttachmentConfig(target, from),
    inParallel(added, BLOBS_AT_ONCE, ({ bytes }) => putBlob(target, bytes, from)),
  ])
  await target.store.putReferrers(
    target.repository,
    [...unlisted, ...added],
    existing === undefined
  )
}

/** What is to be stored for an attachment; nothing where it is there. */
async function buildReferrer(
  image: StoredManifest,
  { kind, layer: { bytes, annotations } }: Attachment,
  existing: Attachments | undefined
): Promise<(Referrer & { readonly bytes: Buffer }) | undefined> {
  const tagged = await existing?.tagged(kind)
  const others = tagged ? layersIn(tagged, kind) : []
  const own = { mediaType: kind.layerType, ...addressOf(bytes), annotations }
  if (others.some((one) => isSame(one, own))) {
    return undefined
  }
  const layers = [...others.slice(0, MAX_LAYERS - 1), own]
  return {
    bytes,
    manifest: manifestOf(image, kind, layers),
    tag: attachmentTag(image.digest, kind),
  }
}

/** What was attached before, as far as nothing takes its tag now. */
async function findUnlisted(
  existing: Attachments,
  added: readonly Referrer[]
): Promise<Referrer[]> {
  const unlisted = await Promise.all([PROVENANCE, SIGNATURE].map((kind) => existing.unlisted(kind)))
  const isReplaced = ({ tag }: Referrer) => added.some((one) => one.tag === tag)
  return unlisted.filter((one) => one !== undefined).filter((one) => !isReplaced(one))
}

const isSame = (one: Descriptor, other: Descriptor): boolean =>
  one.digest === other.digest &&
  one.annotations?.[SIGNATURE_ANNOTATION] === other.annotations?.[SIGNATURE_ANNOTATION]

/** Nobody asks first whether it is there: that is hardly ever so, and asking takes as long as sending what is so short. */
async function putBlob(
  { store, repository }: ImageRepository,
  bytes: Buffer,
  from?: string
): Promise<void> {
  const address = addressOf(bytes)
  const isMounted = from !== undefined && (await store.mountBlob(repository, address.digest, from))
  if (!isMounted) {
    await store.writeBlob(repository, () => singleChunk(bytes), address)
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
  const content = { schemaVersion: 2, mediaType: type, artifactType, config, layers, subject }
  return storedManifest(type, content)
}
