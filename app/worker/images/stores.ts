import { FolderStore } from '#oci/folder/folder_store'
import type { ImageStore } from '#oci/image_store'
import { RegistryStore } from '#oci/registry/registry_store'
import type { ImageStores } from './places.js'

/** As many registries are remembered with their connections and tokens. */
const MOST = 32

interface Options {
  readonly folder: string
  /** Hosts whose certificate is not verified. */
  readonly insecure: readonly string[]
}

/** Opens the folder when it is first needed, and each registry once for each account. */
export function imageStores({ folder, insecure }: Options): ImageStores {
  let images: Promise<ImageStore> | undefined
  const registries = new Map<string, ImageStore>()
  return {
    folder() {
      images ??= FolderStore.open(folder)
      images.catch(() => (images = undefined))
      return images
    },
    registry({ host, accountName, accountSecret }) {
      const key = JSON.stringify([host, accountName, accountSecret])
      const known = registries.get(key)
      const isInsecure = insecure.includes(host.toLowerCase())
      const store =
        known ?? RegistryStore.open({ host, accountName, accountSecret }, { isInsecure })
      registries.delete(key)
      registries.set(key, store)
      forgetOldest(registries)
      return store
    },
  }
}

/** One that is still at work opens its connections anew. */
function forgetOldest(registries: Map<string, ImageStore>): void {
  const [oldest] = registries
  if (oldest && registries.size > MOST) {
    registries.delete(oldest[0])
    oldest[1].close()
  }
}
