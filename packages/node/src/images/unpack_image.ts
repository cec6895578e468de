import { mkdir } from 'node:fs/promises'

import { blobsOf } from '#oci/manifests_of'
import type { ImageStore } from '#oci/image_store'
import type { PlatformImage } from '#oci/platform_image'
import { ImageRejected } from '#node/errors'
import { layerContent } from './layer_content.js'
import { RootFolder } from './root_folder.js'
import { runConfigOf } from './run_config.js'
import { unpackLayer, type UnpackBudget } from './unpack_layer.js'

export interface UnpackLimits {
  /** Of all layers together, decompressed. */
  readonly maxBytes: number
  readonly maxEntries: number
}

export const UNPACK_LIMITS: UnpackLimits = { maxBytes: 20 * 1024 ** 3, maxEntries: 1_000_000 }

/** Where a container mounts what is its own. The root cannot be changed once it runs. */
const MOUNT_FOLDERS = ['proc', 'dev', 'tmp', 'etc']
const MOUNT_FILES = ['etc/hosts', 'etc/resolv.conf']

/** Writes the layers of an image into a new folder, in order. Returns the number of unpacked bytes. */
export async function unpackImage(
  store: ImageStore,
  image: PlatformImage,
  path: string,
  limits: UnpackLimits = UNPACK_LIMITS,
  signal?: AbortSignal
): Promise<number> {
  const { layers } = image.manifest
  const { diffIds } = image.config
  if (layers.length !== diffIds.length || blobsOf(image.stored).length !== layers.length + 1) {
    throw new ImageRejected('The image does not contain all the layers that it states')
  }
  const { workingFolder } = runConfigOf(image.config)
  await mkdir(path)
  const root = new RootFolder(path)
  root.makeFolder('')
  const budget: UnpackBudget = { bytes: limits.maxBytes, entries: limits.maxEntries }
  for (const [index, layer] of layers.entries()) {
    const blob = store.readBlob(image.repository, layer)
    await unpackLayer(root, layerContent(blob, layer.mediaType, diffIds[index]!), budget, signal)
  }
  await prepareMounts(root, workingFolder)
  return limits.maxBytes - budget.bytes
}

/** A link in the place of a mount would have the container mount something elsewhere. */
async function prepareMounts(root: RootFolder, workingFolder: string): Promise<void> {
  MOUNT_FOLDERS.forEach((folder) => root.makeFolder(folder))
  for (const file of MOUNT_FILES) {
    if (!root.isFile(file)) {
      const empty = await root.createFile(file, 0o644)
      await empty.close()
    }
  }
  // To locate a file is to make the folders above it.
  root.locate(`${workingFolder}/file`)
}
