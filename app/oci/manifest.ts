import { jsonIn } from '#kernel/json_in'

import { digestOf } from './checked_bytes.js'
import { ManifestInvalid } from './errors.js'
import { isDigest } from './image_names.js'
import { LARGEST_MANIFEST, type Descriptor, type StoredManifest } from './image_store.js'
import { familyOf, isIndexType, MEDIA_TYPES, REFERABLE_TYPES } from './media_types.js'
import type { Family } from './media_types.js'

const MOST_PARTS = 1_000

interface Common {
  readonly family: Family
  readonly artifactType?: string
  readonly subject?: Descriptor
  readonly annotations?: Readonly<Record<string, string>>
}

/** One image: a config and layers. Signatures and statements have the same shape. */
export interface ImageManifest extends Common {
  readonly kind: 'image'
  readonly config: Descriptor
  readonly layers: readonly Descriptor[]
}

/** Images for several machines under one name. */
export interface ImageIndex extends Common {
  readonly kind: 'index'
  readonly manifests: readonly Descriptor[]
}

/** What a manifest or an index says. Schema 1, which has no digests of its own, is refused. */
export function parseManifest({
  bytes,
  mediaType,
  digest,
}: StoredManifest): ImageManifest | ImageIndex {
  const said = jsonIn(bytes.toString())
  if (!isObject(said) || !REFERABLE_TYPES.includes(mediaType)) {
    throw new ManifestInvalid(
      `${digest} is no manifest that is understood, but ${shown(mediaType)}`
    )
  }
  if (said.mediaType !== undefined && said.mediaType !== mediaType) {
    throw new ManifestInvalid(`${digest} says of itself that it is ${shown(said.mediaType)}`)
  }
  const common = {
    family: familyOf(mediaType),
    ...(typeof said.artifactType === 'string' && { artifactType: said.artifactType }),
    ...(said.subject !== undefined && { subject: descriptor(said.subject, digest) }),
    ...(isObject(said.annotations) && { annotations: said.annotations as Record<string, string> }),
  }
  return isIndexType(mediaType)
    ? { ...common, kind: 'index', manifests: descriptors(said.manifests, digest) }
    : {
        ...common,
        kind: 'image',
        config: descriptor(said.config, digest),
        layers: descriptors(said.layers, digest),
      }
}

/** A manifest of ours, as it is stored. */
export function storedManifest(mediaType: string, content: object): StoredManifest {
  const bytes = Buffer.from(JSON.stringify(content))
  return { mediaType, bytes, digest: digestOf(bytes) }
}

/** Bytes that were found somewhere, as a manifest: what they are is said beside them or in them. */
export function manifestFound(bytes: Buffer, announced?: string): StoredManifest {
  if (bytes.length > LARGEST_MANIFEST) {
    throw new ManifestInvalid(`A manifest of ${bytes.length} bytes is none`)
  }
  const said = jsonIn(bytes.toString())
  if (!isObject(said)) {
    throw new ManifestInvalid('What should be a manifest is no JSON')
  }
  const known = announced !== undefined && REFERABLE_TYPES.includes(announced)
  const mediaType = String(known ? announced : (said.mediaType ?? guessed(said, announced)))
  if (!REFERABLE_TYPES.includes(mediaType)) {
    throw new ManifestInvalid(
      `An image described as ${shown(mediaType)} is not understood; make it anew with a newer program`
    )
  }
  return { mediaType, bytes, digest: digestOf(bytes) }
}

/** How a stored manifest is named in others. */
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

/** OCI lets a manifest be silent about its type. */
function guessed(said: Record<string, unknown>, announced: string | undefined): unknown {
  if (said.schemaVersion !== 2) {
    return announced ?? 'schema 1'
  }
  return Array.isArray(said.manifests) ? MEDIA_TYPES.oci.index : MEDIA_TYPES.oci.manifest
}

function descriptors(said: unknown, of: string): Descriptor[] {
  if (!Array.isArray(said) || said.length > MOST_PARTS) {
    throw new ManifestInvalid(`${of} does not list its parts, or more than ${MOST_PARTS}`)
  }
  return said.map((one) => descriptor(one, of))
}

function descriptor(said: unknown, of: string): Descriptor {
  const isWhole =
    isObject(said) &&
    typeof said.mediaType === 'string' &&
    isDigest(said.digest) &&
    Number.isSafeInteger(said.size) &&
    (said.size as number) >= 0
  if (!isWhole) {
    throw new ManifestInvalid(`${of} names a part without type, size or SHA-256 digest`)
  }
  return said as unknown as Descriptor
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 120)
