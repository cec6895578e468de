import { FolderStore } from '#oci/folder/folder_store'
import { ImageNameInvalid } from './errors.js'
import { LOCAL_IMAGES } from './local_host.js'
import type { ImageStore } from './image_store.js'
import type { RegistryAddress, RegistryOptions } from '#oci/registry/registry_client'
import { RegistryStore } from '#oci/registry/registry_store'

export { LOCAL_IMAGES }

export interface OpenOptions extends RegistryOptions {
  /** The folder that `local-images` means. */
  readonly imagesPath?: string
}

/** The images in a folder, or in a registry as an account of it. */
export async function openImageStore(
  where: RegistryAddress | { readonly path: string },
  options: OpenOptions = {}
): Promise<ImageStore> {
  if ('path' in where) {
    return FolderStore.open(where.path)
  }
  if (where.host !== LOCAL_IMAGES) {
    return RegistryStore.open(where, options)
  }
  if (options.imagesPath === undefined) {
    throw new ImageNameInvalid(`${LOCAL_IMAGES} means a folder, and nobody says which one`)
  }
  return FolderStore.open(options.imagesPath)
}
