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

/** The config that image tools expect. Its content is constant, so a repository stores it once. */
const CONFIG = Buffer.from(
  JSON.stringify({
    architecture: '',
    os: '',
    config: {},
    rootfs: { type: 'layers', diff_ids: [] },
  })
)

export interface Attachment {
  readonly kind: AttachmentKind
  readonly layer: AttachmentLayer
}

interface AttachOptions {
  /** A repository of the same store to mount the blobs from. */
  readonly from?: string | undefined
  /** Existing attachments; undefined if the image is new. */
  readonly existing: Attachments | undefined
  /** Resolves when the image is pushed. Referrers can be listed only after that. */
  readonly imagePushed?: Promise<unknown> | undefined
  /** Resolves when `putAttachmentConfig` is done, if it was started before. */
  readonly configPushed?: Promise<unknown> | undefined
}

/** Pushes the config that all attachments share. Can run before the attachments are known. */
export const putAttachmentConfig = (target: ImageRepository, from?: string): Promise<void> =>
  putBlob(target, CONFIG, from)

/**
 * Attaches layers to an image as referrers and under the tags of cosign, in this order. Manifests are deterministic, so
 * a copy has the same digest. Existing attachments stay, and are listed if they are not yet. The image may still be on
 * its way.
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

/** Builds the referrer of an attachment, or undefined if it exists. */
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

/** Existing referrers that are not listed and whose tag is not replaced. */
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

/** Pushes without checking first: a check takes as long as sending such a short blob. */
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
