import { jsonIn } from '#kernel/json_in'
import { wholeBytes } from '#oci/checked_bytes'
import type { Shelf } from '#oci/copy_blob'
import { BlobMissing, DigestMismatch, ManifestInvalid } from '#oci/errors'
import { isDigest } from '#oci/image_names'
import type { Descriptor, StoredManifest } from '#oci/image_store'
import { isObject } from '#oci/manifest'
import { attachmentTag, type AttachmentKind } from './attachment_kinds.js'
import { textsIn } from './texts_in.js'

/** Whoever may write to a registry may attach as much as they like; no more than this is looked at. */
const MOST_MANIFESTS = 8
export const MOST_LAYERS = 16
const LARGEST_MANIFEST = 512 * 1024

/** What one layer of an attachment holds, and says beside it. */
export interface AttachedLayer {
  readonly bytes: Buffer
  readonly annotations: Readonly<Record<string, string>>
}

/**
 * What is attached to an image, one by one: that of cosign's tag first, then what the registry lists as referring to the image. Nobody vouches for any
 * of it.
 */
export async function* attachedLayers(
  shelf: Shelf,
  digest: string,
  kind: AttachmentKind
): AsyncGenerator<AttachedLayer> {
  for await (const manifest of attachments(shelf, digest, kind)) {
    for (const layer of layersIn(manifest, kind)) {
      const bytes = await boundedBlob(shelf, layer, kind.limit)
      if (bytes) {
        yield { bytes, annotations: layer.annotations ?? {} }
      }
    }
  }
}

async function* attachments(
  { store, repository }: Shelf,
  digest: string,
  kind: AttachmentKind
): AsyncGenerator<StoredManifest> {
  const tagged = await taggedAttachment({ store, repository }, digest, kind)
  if (tagged) {
    yield tagged
  }
  const listed = await store.referrers(repository, digest)
  const others = listed.filter(
    (one) => one.artifactType === kind.artifactType && one.digest !== tagged?.digest
  )
  for (const { digest: other } of others.slice(0, MOST_MANIFESTS)) {
    const manifest = await store.manifest(repository, other).catch(unlessWorthless)
    if (manifest) {
      yield manifest
    }
  }
}

/** What stands under cosign's tag. */
export function taggedAttachment(
  { store, repository }: Shelf,
  digest: string,
  kind: AttachmentKind
): Promise<StoredManifest | undefined> {
  return store.manifest(repository, attachmentTag(digest, kind)).catch(unlessWorthless)
}

/** The layers of a kind that a manifest names, as far as they make sense. */
export function layersIn({ bytes }: StoredManifest, { layerType }: AttachmentKind): Descriptor[] {
  const content = bytes.length <= LARGEST_MANIFEST ? jsonIn(bytes.toString()) : undefined
  const layers = isObject(content) && Array.isArray(content.layers) ? content.layers : []
  return layers
    .slice(0, MOST_LAYERS)
    .flatMap((layer) => descriptorIn(layer) ?? [])
    .filter(({ mediaType }) => mediaType === layerType)
}

function descriptorIn(layer: unknown): Descriptor | undefined {
  if (!isObject(layer)) {
    return undefined
  }
  const { mediaType, digest, size, annotations } = layer
  if (
    typeof mediaType !== 'string' ||
    !isDigest(digest) ||
    typeof size !== 'number' ||
    !Number.isSafeInteger(size) ||
    size < 0
  ) {
    return undefined
  }
  return { mediaType, digest, size, annotations: textsIn(annotations) }
}

/** Undefined where it is larger than it may be, not there, or not what it should be. */
async function boundedBlob(
  { store, repository }: Shelf,
  blob: Descriptor,
  limit: number
): Promise<Buffer | undefined> {
  if (blob.size > limit) {
    return undefined
  }
  return wholeBytes(store.readBlob(repository, blob), blob.size).catch(unlessWorthless)
}

/** Where whoever attached it left nothing that makes sense, there is nothing. */
function unlessWorthless(error: unknown): undefined {
  const kinds = [BlobMissing, DigestMismatch, ManifestInvalid]
  if (!kinds.some((kind) => error instanceof kind)) {
    throw error
  }
}
