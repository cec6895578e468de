import { FolderStore } from '#oci/folder/folder_store'
import { ImageNameInvalid } from './errors.js'
import { LOCAL_IMAGES } from './local_host.js'
import type { ImageStore } from './image_store.js'
import type { RegistryAddress, RegistryOptions } from '#oci/registry/registry_client'
import { RegistryStore } from '#oci/registry/registry_store'

export { LOCAL_IMAGES }

export interface ImageStoreOptions extends RegistryOptions {
  /** The folder that the host `local-images` stands for. */
  readonly imagesPath?: string
}

/** Opens a folder or a registry as an image store. */
export async function openImageStore(
  address: RegistryAddress | { readonly path: string },
  options: ImageStoreOptions = {}
): Promise<ImageStore> {
  if ('path' in address) {
    return FolderStore.open(address.path)
  }
  if (address.host !== LOCAL_IMAGES) {
    return RegistryStore.open(address, options)
  }
  if (options.imagesPath === undefined) {
    throw new ImageNameInvalid(`${LOCAL_IMAGES} stands for a folder, but none is given`)
  }
  return FolderStore.open(options.imagesPath)
}
