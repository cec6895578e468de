import { gzipSync } from 'node:zlib'

import type { ImageStore, StoredManifest } from '#oci/image_store'
import { storedManifest } from '#oci/manifest'
import { MEDIA_TYPES } from '#oci/media_types'
import { digestOf } from '#oci/verified_bytes'
import { chunksOf } from '#tests/helpers/oci/images'
import { tar, type TarEntry } from '#tests/helpers/core/master_images/tarball'

export interface LayerDraft {
  readonly tar: Buffer
  readonly mediaType: string
  readonly compressed: Buffer
}

export const gzipLayer = (entries: readonly TarEntry[]): LayerDraft => {
  const bytes = tar(entries)
  return { tar: bytes, mediaType: MEDIA_TYPES.oci.layer, compressed: gzipSync(bytes) }
}

interface LayeredImageOptions {
  readonly config?: object
  readonly diffIds?: readonly string[]
}

/** Pushes an image of layers as somebody may have written them. */
export async function putLayers(
  store: ImageStore,
  layers: readonly LayerDraft[],
  { config = { Cmd: ['/bin/sh'] }, diffIds }: LayeredImageOptions = {}
): Promise<StoredManifest> {
  const words = MEDIA_TYPES.oci
  const blobs = []
  for (const { compressed, mediaType } of layers) {
    const blob = await store.writeBlob('image', chunksOf(compressed))
    blobs.push({ mediaType, digest: blob.digest, size: blob.size })
  }
  const content = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: diffIds ?? layers.map((layer) => digestOf(layer.tar)) },
  }
  const stored = await store.writeBlob('image', chunksOf(Buffer.from(JSON.stringify(content))))
  const manifest = storedManifest(words.manifest, {
    schemaVersion: 2,
    mediaType: words.manifest,
    config: { mediaType: words.config, ...stored },
    layers: blobs,
  })
  await store.putManifest('image', manifest)
  return manifest
}
