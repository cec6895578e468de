import { awaitAll } from '#kernel/await_all'
import { inParallel } from '#kernel/in_parallel'

import { addressOf } from './verified_bytes.js'
import { copyBlob } from './copy_blob.js'
import { ManifestInvalid } from './errors.js'
import { extendConfig, type ConfigChange } from './image_config.js'
import type { Descriptor, ImageStore, StoredManifest } from './image_store.js'
import { singleChunk } from './single_chunk.js'
import { isObject, parseManifest, storedManifest, type ImageManifest } from './manifest.js'
import { isForeignType, MEDIA_TYPES } from './media_types.js'
import { imageSize, type PlatformImage } from './platform_image.js'
import type { WrittenLayer } from './write_layer.js'

const MOUNTS_AT_ONCE = 4

export interface AppendedLayer {
  readonly layer: WrittenLayer
  /** The `created_by` entry in the history of the image. */
  readonly createdBy: string
}

interface AssembledImage {
  readonly stored: StoredManifest
  readonly digest: string
  readonly os: string
  /** Bytes of the layers and the config. */
  readonly size: number
}

export interface BuiltImage extends AssembledImage {
  /** Whether the manifest did not exist in the repository before. */
  readonly isNew: boolean
}

/** An image that is still being pushed. */
export interface PendingImage extends AssembledImage {
  readonly isNew: Promise<boolean>
  /** Resolves when the manifest is in the repository. */
  readonly pushed: Promise<void>
}

interface AppendOptions extends ConfigChange {
  readonly tag?: string
  /** Layers of the base that `mountLayers` could not mount. */
  readonly unmounted?: readonly Descriptor[]
  /** Resolves when the appended layers are in the repository, if they are still being written. */
  readonly layersPushed?: Promise<unknown>
}

/**
 * Builds an image from a base and appended layers, in a repository of the same store. Keeps the media type family and
 * every other field of the base.
 */
export async function appendLayers(
  store: ImageStore,
  repository: string,
  base: PlatformImage,
  appended: readonly AppendedLayer[],
  change: AppendOptions
): Promise<BuiltImage> {
  const image = startImage(store, repository, base, appended, change)
  await image.pushed
  return { ...image, isNew: await image.isNew }
}

/** Like `appendLayers`, but returns before the image is pushed. */
export function startImage(
  store: ImageStore,
  repository: string,
  base: PlatformImage,
  appended: readonly AppendedLayer[],
  change: AppendOptions
): PendingImage {
  const { config, ...image } = assembleImage(base, appended, change)
  const existing = store.manifest(repository, image.digest)
  const parts = awaitAll([
    existing,
    store.writeBlob(repository, () => singleChunk(config)),
    copyLayers(store, repository, base, change.unmounted),
    change.layersPushed,
  ])
  const pushed = parts.then(() => store.putManifest(repository, image.stored, change.tag))
  const isNew = existing.then((manifest) => manifest === undefined)
  pushed.catch(() => {})
  isNew.catch(() => {})
  return { ...image, isNew, pushed }
}

function assembleImage(
  base: PlatformImage,
  appended: readonly AppendedLayer[],
  change: ConfigChange
): AssembledImage & { readonly config: Buffer } {
  const { manifest, config } = base
  if (config.diffIds.length !== manifest.layers.length) {
    throw new ManifestInvalid(
      `${base.stored.digest} has ${manifest.layers.length} layers, but its config lists ${config.diffIds.length}`
    )
  }
  const added = appended.map(({ layer, createdBy }) => ({ diffId: layer.diffId, createdBy }))
  const bytes = extendConfig(config, added, change)
  const types = MEDIA_TYPES[manifest.family]
  const own = appended.map(({ layer: { digest, size } }) => ({
    mediaType: types.layer,
    digest,
    size,
  }))
  const stored = storedManifest(base.stored.mediaType, {
    ...inheritedFields(base.stored),
    config: { mediaType: types.config, ...addressOf(bytes) },
    layers: [...manifest.layers, ...own],
  })
  const size = imageSize(parseManifest(stored) as ImageManifest)
  return { stored, digest: stored.digest, os: config.os, size, config: bytes }
}

/** Mounts the layers of the base before the appended layers are known. Returns those that could not be mounted. */
export async function mountLayers(
  store: ImageStore,
  repository: string,
  base: PlatformImage
): Promise<readonly Descriptor[]> {
  const layers = layersOf(base)
  const isMounted = await inParallel(layers, MOUNTS_AT_ONCE, ({ digest }) =>
    store.mountBlob(repository, digest, base.repository)
  )
  return layers.filter((_, index) => !isMounted[index])
}

/** Mounts the layers of the base into the repository, or copies those that cannot be mounted. */
async function copyLayers(
  store: ImageStore,
  repository: string,
  base: PlatformImage,
  layers: readonly Descriptor[] = layersOf(base)
): Promise<void> {
  const from = { store, repository: base.repository }
  await inParallel(layers, MOUNTS_AT_ONCE, (layer) => copyBlob(from, { store, repository }, layer))
}

const layersOf = ({ manifest: { layers } }: PlatformImage): Descriptor[] =>
  layers.filter(({ mediaType }) => !isForeignType(mediaType))

/** Fields of the base manifest to keep. Its subject and annotations describe the base only. */
function inheritedFields({ bytes, mediaType }: StoredManifest): Record<string, unknown> {
  const content: unknown = JSON.parse(bytes.toString())
  const { subject, annotations, config, layers, ...rest } = isObject(content) ? content : {}
  return { ...rest, schemaVersion: 2, mediaType }
}
