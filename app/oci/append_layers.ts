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
  /** What the history of the image says of it. */
  readonly createdBy: string
}

interface AssembledImage {
  readonly stored: StoredManifest
  readonly digest: string
  readonly os: string
  /** The bytes of its layers and its config. */
  readonly size: number
}

export interface BuiltImage extends AssembledImage {
  /** Whether the repository did not have it until now. */
  readonly isNew: boolean
}

/** What is made now. */
export interface PendingImage extends AssembledImage {
  readonly isNew: Promise<boolean>
  /** When the repository has it. */
  readonly pushed: Promise<void>
}

interface AppendOptions extends ConfigChange {
  readonly tag?: string
  /** The layers of the base that are not in the repository, where they were mounted before. */
  readonly unmounted?: readonly Descriptor[]
  /** When the appended layers are in the repository, where they are not yet. */
  readonly layersPushed?: Promise<unknown>
}

/**
 * Makes an image of a base and layers that were written, in a repository of the same store. It stays in the family of its
 * base, and all that is not changed is as it was.
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

/** The same, for whoever can go on before the repository has it. */
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
    throw new ManifestInvalid(`${base.stored.digest} has other layers than its config says`)
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

/** Has what can be done for an image be done before its own layers are there. Answers the layers that could not be mounted. */
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

/** The layers of the base have to be in the repository of the image: mounted, and copied where that cannot be done. */
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

/** What a manifest says besides its parts, without what is only true of the base: what that is about, and its annotations. */
function inheritedFields({ bytes, mediaType }: StoredManifest): Record<string, unknown> {
  const content: unknown = JSON.parse(bytes.toString())
  const { subject, annotations, config, layers, ...rest } = isObject(content) ? content : {}
  return { ...rest, schemaVersion: 2, mediaType }
}
