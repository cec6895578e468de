import { tryParseJson } from '#kernel/try_parse_json'
import { readAll } from '#oci/verified_bytes'
import type { ImageRepository } from '#oci/copy_blob'
import { BlobMissing, DigestMismatch, ManifestInvalid } from '#oci/errors'
import { isDigest } from '#oci/image_names'
import type { Descriptor, Referrer, StoredManifest } from '#oci/image_store'
import { isObject, parseManifest } from '#oci/manifest'
import { attachmentTag, type AttachmentKind } from './attachment_kinds.js'
import { stringEntries } from './string_entries.js'

/** Limits what is read, since anyone who can push can attach artifacts. */
const MAX_MANIFESTS = 8
export const MAX_LAYERS = 16
const MAX_MANIFEST_BYTES = 512 * 1024

/** Content and annotations of one attached layer. */
export interface AttachmentLayer {
  readonly bytes: Buffer
  readonly annotations: Readonly<Record<string, string>>
}

/** The artifacts attached to an image. They are untrusted until verified. Each source is read once, on first use. */
export class Attachments {
  readonly digest: string
  readonly #repository: ImageRepository
  readonly #tagged = new Map<AttachmentKind, Promise<StoredManifest | undefined>>()
  #listed: Promise<readonly Descriptor[]> | undefined

  constructor(repository: ImageRepository, digest: string) {
    this.#repository = repository
    this.digest = digest
  }

  /** The manifest under the cosign tag. */
  tagged(kind: AttachmentKind): Promise<StoredManifest | undefined> {
    const known = this.#tagged.get(kind) ?? this.#manifest(attachmentTag(this.digest, kind))
    this.#tagged.set(kind, known)
    return known
  }

  /** The tagged manifest if it is not listed as a referrer, which happens if a process crashed in between. */
  async unlisted(kind: AttachmentKind): Promise<Referrer | undefined> {
    const manifest = await this.tagged(kind)
    if (!manifest || !refersTo(manifest, this.digest)) {
      return undefined
    }
    const listed = await this.#referrers()
    const isListed = listed.some(({ digest }) => digest === manifest.digest)
    return isListed ? undefined : { manifest, tag: attachmentTag(this.digest, kind) }
  }

  /** Yields the layers of the cosign tag first, then those of the listed referrers. */
  async *layers(kind: AttachmentKind): AsyncGenerator<AttachmentLayer> {
    for await (const manifest of this.#manifests(kind)) {
      for (const layer of layersIn(manifest, kind)) {
        const bytes = await readBoundedBlob(this.#repository, layer, kind.limit)
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
    for (const { digest: other } of others.slice(0, MAX_MANIFESTS)) {
      const manifest = await this.#manifest(other)
      if (manifest) {
        yield manifest
      }
    }
  }

  #referrers(): Promise<readonly Descriptor[]> {
    const { store, repository } = this.#repository
    return (this.#listed ??= store.referrers(repository, this.digest))
  }

  #manifest(reference: string): Promise<StoredManifest | undefined> {
    const { store, repository } = this.#repository
    return store.manifest(repository, reference).catch(ignoreInvalid)
  }
}

/** The valid layers of a kind in a manifest. */
export function layersIn({ bytes }: StoredManifest, { layerType }: AttachmentKind): Descriptor[] {
  const content = bytes.length <= MAX_MANIFEST_BYTES ? tryParseJson(bytes.toString()) : undefined
  const layers = isObject(content) && Array.isArray(content.layers) ? content.layers : []
  return layers
    .slice(0, MAX_LAYERS)
    .flatMap((layer) => parseDescriptor(layer) ?? [])
    .filter(({ mediaType }) => mediaType === layerType)
}

function refersTo(manifest: StoredManifest, digest: string): boolean {
  try {
    return parseManifest(manifest).subject?.digest === digest
  } catch (error) {
    return ignoreInvalid(error) ?? false
  }
}

function parseDescriptor(layer: unknown): Descriptor | undefined {
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
  return { mediaType, digest, size, annotations: stringEntries(annotations) }
}

/** Undefined if the blob is too large, missing, or does not match its digest. */
async function readBoundedBlob(
  { store, repository }: ImageRepository,
  blob: Descriptor,
  limit: number
): Promise<Buffer | undefined> {
  if (blob.size > limit) {
    return undefined
  }
  return readAll(store.readBlob(repository, blob), blob.size).catch(ignoreInvalid)
}

/** Treats malformed artifacts as absent. */
function ignoreInvalid(error: unknown): undefined {
  const kinds = [BlobMissing, DigestMismatch, ManifestInvalid]
  if (!kinds.some((kind) => error instanceof kind)) {
    throw error
  }
}
