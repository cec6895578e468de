import { jsonIn } from '#kernel/json_in'
import { wholeBytes } from '#oci/checked_bytes'
import type { Shelf } from '#oci/copy_blob'
import { BlobMissing, DigestMismatch, ManifestInvalid } from '#oci/errors'
import { isDigest } from '#oci/image_names'
import type { Descriptor, Referrer, StoredManifest } from '#oci/image_store'
import { isObject, parseManifest } from '#oci/manifest'
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

/** What is attached to an image. Nobody vouches for any of it. Each place is looked at when it is first asked for, and only then. */
export class Attached {
  readonly digest: string
  readonly #shelf: Shelf
  readonly #tagged = new Map<AttachmentKind, Promise<StoredManifest | undefined>>()
  #listed: Promise<readonly Descriptor[]> | undefined

  constructor(shelf: Shelf, digest: string) {
    this.#shelf = shelf
    this.digest = digest
  }

  /** What stands under cosign's tag. */
  tagged(kind: AttachmentKind): Promise<StoredManifest | undefined> {
    const known = this.#tagged.get(kind) ?? this.#manifest(attachmentTag(this.digest, kind))
    this.#tagged.set(kind, known)
    return known
  }

  /** What stands under the tag of a kind and is not listed: whoever attached it was killed before that. */
  async unlisted(kind: AttachmentKind): Promise<Referrer | undefined> {
    const manifest = await this.tagged(kind)
    if (!manifest || !isAbout(manifest, this.digest)) {
      return undefined
    }
    const listed = await this.#referrers()
    const isListed = listed.some(({ digest }) => digest === manifest.digest)
    return isListed ? undefined : { manifest, tag: attachmentTag(this.digest, kind) }
  }

  /** One by one: that of cosign's tag first, then what the registry lists as referring to the image. */
  async *layers(kind: AttachmentKind): AsyncGenerator<AttachedLayer> {
    for await (const manifest of this.#manifests(kind)) {
      for (const layer of layersIn(manifest, kind)) {
        const bytes = await boundedBlob(this.#shelf, layer, kind.limit)
        if (bytes) {
          yield { bytes, annotations: layer.annotations ?? {} }
        }
      }
    }
  }

  async *#manifests(kind: AttachmentKind): AsyncGenerator<StoredManifest> {
    const tagged = await this.tagged(kind)
    if (tagged) {
      yield tagged
    }
    const listed = await this.#referrers()
    const others = listed.filter(
      (one) => one.artifactType === kind.artifactType && one.digest !== tagged?.digest
    )
    for (const { digest: other } of others.slice(0, MOST_MANIFESTS)) {
      const manifest = await this.#manifest(other)
      if (manifest) {
        yield manifest
      }
    }
  }

  #referrers(): Promise<readonly Descriptor[]> {
    const { store, repository } = this.#shelf
    return (this.#listed ??= store.referrers(repository, this.digest))
  }

  #manifest(reference: string): Promise<StoredManifest | undefined> {
    const { store, repository } = this.#shelf
    return store.manifest(repository, reference).catch(unlessWorthless)
  }
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

function isAbout(manifest: StoredManifest, digest: string): boolean {
  try {
    return parseManifest(manifest).subject?.digest === digest
  } catch (error) {
    return unlessWorthless(error) ?? false
  }
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
