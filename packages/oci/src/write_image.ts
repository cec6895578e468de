import type { ImageRepository } from './copy_blob.js'
import type { BlobAddress, StoredManifest } from './image_store.js'
import { storedManifest } from './manifest.js'
import { MEDIA_TYPES } from './media_types.js'
import { singleChunk } from './single_chunk.js'
import { addressOf } from './verified_bytes.js'

interface NewImage {
  readonly config: Buffer
  readonly layers: readonly BlobAddress[]
  readonly annotations?: Readonly<Record<string, string>>
}

/** Writes config and manifest of an image whose layers the repository has, under a tag if there is one. */
export async function writeImage(
  { store, repository }: ImageRepository,
  { config, layers, annotations }: NewImage,
  tag?: string
): Promise<StoredManifest> {
  await store.writeBlob(repository, () => singleChunk(config))
  const types = MEDIA_TYPES.oci
  const manifest = storedManifest(types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: { mediaType: types.config, ...addressOf(config) },
    layers: layers.map(({ digest, size }) => ({ mediaType: types.layer, digest, size })),
    annotations,
  })
  await store.putManifest(repository, manifest, tag)
  return manifest
}
