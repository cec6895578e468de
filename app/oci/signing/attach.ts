import { digestOf } from '#oci/checked_bytes'
import type { Shelf } from '#oci/copy_blob'
import type { BlobAddress, Descriptor, StoredManifest } from '#oci/image_store'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { layersIn, MOST_LAYERS, taggedAttachment, type AttachedLayer } from './attached.js'
import { attachmentTag, type AttachmentKind } from './attachment_kinds.js'
import { SIGNATURE_ANNOTATION } from './simple_signing.js'

/**
 * Attaches a layer to an image, beside those that others have attached: as a referrer, and under cosign's tag. The manifest follows from what is in
 * it, so that a copy has the digest of what was copied. What is attached already stays as it is; the image need not be there yet.
 */
export async function attach(
  shelf: Shelf,
  image: StoredManifest,
  kind: AttachmentKind,
  layer: AttachedLayer,
  /** A repository of the same store that has the bytes, if any. */
  from?: string
): Promise<void> {
  const { store, repository } = shelf
  const before = await taggedAttachment(shelf, image.digest, kind)
  const others = before ? layersIn(before, kind) : []
  const { bytes, annotations } = layer
  const own = { mediaType: kind.layerType, ...addressOf(bytes), annotations }
  if (others.some((one) => isSame(one, own))) {
    return
  }
  const layers = [...others.slice(0, MOST_LAYERS - 1), own]
  const config = configOf(layers)
  await Promise.all([bytes, config].map((blob) => put(shelf, blob, from)))
  const described = { mediaType: MEDIA_TYPES.oci.config, ...addressOf(config) }
  const manifest = manifestOf(image, kind, described, layers)
  await store.putManifest(repository, manifest, attachmentTag(image.digest, kind))
}

const isSame = (one: Descriptor, other: Descriptor): boolean =>
  one.digest === other.digest &&
  one.annotations?.[SIGNATURE_ANNOTATION] === other.annotations?.[SIGNATURE_ANNOTATION]

const addressOf = (bytes: Buffer): BlobAddress => ({ digest: digestOf(bytes), size: bytes.length })

async function put({ store, repository }: Shelf, bytes: Buffer, from?: string): Promise<void> {
  const wanted = addressOf(bytes)
  const isMounted = from !== undefined && (await store.mountBlob(repository, wanted.digest, from))
  if (!isMounted && !(await store.hasBlob(repository, wanted.digest))) {
    await store.writeBlob(repository, () => once(bytes), wanted)
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
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
