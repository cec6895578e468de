import { tryParseJson } from '#kernel/try_parse_json'

import { digestOf } from './verified_bytes.js'
import { ManifestInvalid } from './errors.js'
import { isDigest } from './image_names.js'
import { MAX_MANIFEST_BYTES, type Descriptor, type StoredManifest } from './image_store.js'
import { familyOf, isIndexType, MEDIA_TYPES, REFERABLE_TYPES } from './media_types.js'
import type { Family } from './media_types.js'

const MAX_PARTS = 1_000

interface ManifestFields {
  readonly family: Family
  readonly artifactType?: string
  readonly subject?: Descriptor
  readonly annotations?: Readonly<Record<string, string>>
}

/** An image manifest. Signatures and attestations have the same shape. */
export interface ImageManifest extends ManifestFields {
  readonly kind: 'image'
  readonly config: Descriptor
  readonly layers: readonly Descriptor[]
}

/** A multi-platform image. */
export interface ImageIndex extends ManifestFields {
  readonly kind: 'index'
  readonly manifests: readonly Descriptor[]
}

/** Parses a manifest or index. Schema 1 is rejected: it has no digests of its own. */
export function parseManifest({
  bytes,
  mediaType,
  digest,
}: StoredManifest): ImageManifest | ImageIndex {
  const content = tryParseJson(bytes.toString())
  if (!isObject(content) || !REFERABLE_TYPES.includes(mediaType)) {
    throw new ManifestInvalid(
      `${digest} is not a supported manifest: its media type is ${quote(mediaType)}`
    )
  }
  if (content.mediaType !== undefined && content.mediaType !== mediaType) {
    throw new ManifestInvalid(
      `The content of ${digest} names another media type: ${quote(content.mediaType)}`
    )
  }
  const common = {
    family: familyOf(mediaType),
    ...(typeof content.artifactType === 'string' && { artifactType: content.artifactType }),
    ...(content.subject !== undefined && { subject: descriptor(content.subject, digest) }),
    ...(isObject(content.annotations) && {
      annotations: content.annotations as Record<string, string>,
    }),
  }
  return isIndexType(mediaType)
    ? { ...common, kind: 'index', manifests: descriptors(content.manifests, digest) }
    : {
        ...common,
        kind: 'image',
        config: descriptor(content.config, digest),
        layers: descriptors(content.layers, digest),
      }
}

/** Serializes a manifest. */
export function storedManifest(mediaType: string, content: object): StoredManifest {
  const bytes = Buffer.from(JSON.stringify(content))
  return { mediaType, bytes, digest: digestOf(bytes) }
}

/** Wraps manifest bytes. The media type is the announced one, or that of the content. */
export function manifestFromBytes(bytes: Buffer, announced?: string): StoredManifest {
  if (bytes.length > MAX_MANIFEST_BYTES) {
    throw new ManifestInvalid(`The manifest is too large: ${bytes.length} bytes`)
  }
  const content = tryParseJson(bytes.toString())
  if (!isObject(content)) {
    throw new ManifestInvalid('The manifest is not valid JSON')
  }
  const isKnown = announced !== undefined && REFERABLE_TYPES.includes(announced)
  const mediaType = String(
    isKnown ? announced : (content.mediaType ?? inferMediaType(content, announced))
  )
  if (!REFERABLE_TYPES.includes(mediaType)) {
    throw new ManifestInvalid(
      `The manifest type ${quote(mediaType)} is not supported; push the image with a newer client`
    )
  }
  return { mediaType, bytes, digest: digestOf(bytes) }
}

/** The descriptor that refers to a manifest. */
export function descriptorOf(manifest: StoredManifest): Descriptor {
  const { artifactType, annotations, ...parsed } = parseManifest(manifest)
  const isStatement = parsed.kind === 'image' && parsed.subject !== undefined
  const type = artifactType ?? (isStatement ? parsed.config.mediaType : undefined)
  return {
    mediaType: manifest.mediaType,
    digest: manifest.digest,
    size: manifest.bytes.length,
    ...(type !== undefined && { artifactType: type }),
    ...(annotations && { annotations }),
  }
}

/** OCI does not require a manifest to name its media type. */
function inferMediaType(content: Record<string, unknown>, announced: string | undefined): unknown {
  if (content.schemaVersion !== 2) {
    return announced ?? 'schema 1'
  }
  return Array.isArray(content.manifests) ? MEDIA_TYPES.oci.index : MEDIA_TYPES.oci.manifest
}

function descriptors(content: unknown, digest: string): Descriptor[] {
  if (!Array.isArray(content) || content.length > MAX_PARTS) {
    throw new ManifestInvalid(`${digest} lists no parts, or more than ${MAX_PARTS}`)
  }
  return content.map((one) => descriptor(one, digest))
}

function descriptor(content: unknown, digest: string): Descriptor {
  const isComplete =
    isObject(content) &&
    typeof content.mediaType === 'string' &&
    isDigest(content.digest) &&
    Number.isSafeInteger(content.size) &&
    (content.size as number) >= 0
  if (!isComplete) {
    throw new ManifestInvalid(
      `${digest} references a part without media type, size or SHA-256 digest`
    )
  }
  return content as unknown as Descriptor
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const quote = (value: unknown): string => String(JSON.stringify(value)).slice(0, 120)
