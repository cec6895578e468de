import { FolderStore } from '#oci/folder/folder_store'
import type { ImageStore } from '#oci/image_store'
import type { OutboundGuard } from '#oci/registry/connections'
import { RegistryStore } from '#oci/registry/registry_store'
import type { UploadJournal } from '#oci/uploads/upload_journal'
import type { ImageStores } from './image_locations.js'

/** As many registries are remembered with their connections and tokens. */
const MAX_REGISTRIES = 32

/** A registry that is restarted is back within a minute. */
const RETRY_FOR_MS = 65_000

interface ImageStoreSettings {
  readonly folder: string
  /** Hosts whose certificate is not verified. */
  readonly insecure: readonly string[]
  /** What may be asked on the way to what a registry has, by its host; anything where it is left out. */
  readonly guardFor?: (host: string) => OutboundGuard
  /** Where uploads to registries are noted. */
  readonly journal?: UploadJournal
}

export interface OpenImageStores extends ImageStores {
  registry(...args: Parameters<ImageStores['registry']>): RegistryStore
}

/** Opens the folder when it is first needed, and each registry once for each account. */
export function imageStores({
  folder,
  insecure,
  guardFor,
  journal,
}: ImageStoreSettings): OpenImageStores {
  let images: Promise<ImageStore> | undefined
  const registries = new Map<string, RegistryStore>()
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
      const account = { host, accountName, accountSecret }
      const guard = guardFor?.(host)
      const options = {
        isInsecure,
        retryForMs: RETRY_FOR_MS,
        ...(guard && { guard }),
        ...(journal && { journal }),
      }
      const store = known ?? RegistryStore.open(account, options)
      registries.delete(key)
      registries.set(key, store)
      closeOldest(registries)
      return store
    },
  }
}

/** One that is still at work opens its connections anew. */
function closeOldest(registries: Map<string, RegistryStore>): void {
  const [oldest] = registries
  if (oldest && registries.size > MAX_REGISTRIES) {
    registries.delete(oldest[0])
    oldest[1].close()
  }
}
