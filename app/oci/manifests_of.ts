import type { ImageRepository } from './copy_blob.js'
import { ManifestInvalid } from './errors.js'
import type { Descriptor, StoredManifest } from './image_store.js'
import { parseManifest } from './manifest.js'
import { isForeignType } from './media_types.js'
import { requireManifest } from './platform_image.js'

/** An index may name another one, and statements may be about statements; nobody goes further down. */
const MAX_DEPTH = 4

/** A manifest and all that it names, those that are named first. */
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

/** What a manifest names and is kept with it: its config and its layers, if it is one of an image. */
export function blobsOf(manifest: StoredManifest): Descriptor[] {
  const parsed = parseManifest(manifest)
  return parsed.kind === 'image'
    ? [parsed.config, ...parsed.layers].filter(({ mediaType }) => !isForeignType(mediaType))
    : []
}

export function requireDepth(depth: number, digest: string): void {
  if (depth >= MAX_DEPTH) {
    throw new ManifestInvalid(`${digest} names manifests that name others, too often`)
  }
}
