import type { ImageRepository } from './copy_blob.js'
import { ManifestInvalid } from './errors.js'
import type { Descriptor, StoredManifest } from './image_store.js'
import { parseManifest } from './manifest.js'
import { isForeignType } from './media_types.js'
import { requireManifest } from './platform_image.js'

/** Limits nested indexes and referrers of referrers. */
const MAX_DEPTH = 4

/** Yields the manifests that a manifest references, then itself. */
export async function* manifestsOf(
  source: ImageRepository,
  manifest: StoredManifest,
  depth = 0
): AsyncGenerator<StoredManifest, void, undefined> {
  requireDepth(depth, manifest.digest)
  const parsed = parseManifest(manifest)
  for (const { digest } of parsed.kind === 'index' ? parsed.manifests : []) {
    const child = await requireManifest(source.store, source.repository, digest)
    yield* manifestsOf(source, child, depth + 1)
  }
  yield manifest
}

/** The config and layers of an image manifest that are stored with it. */
export function blobsOf(manifest: StoredManifest): Descriptor[] {
  const parsed = parseManifest(manifest)
  return parsed.kind === 'image'
    ? [parsed.config, ...parsed.layers].filter(({ mediaType }) => !isForeignType(mediaType))
    : []
}

export function requireDepth(depth: number, digest: string): void {
  if (depth >= MAX_DEPTH) {
    throw new ManifestInvalid(`${digest} nests manifests too deeply`)
  }
}
