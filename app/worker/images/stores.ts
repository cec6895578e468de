import { FolderStore } from '#oci/folder/folder_store'
import type { ImageStore } from '#oci/image_store'
import type { OutboundGuard } from '#oci/registry/connections'
import { RegistryStore } from '#oci/registry/registry_store'
import { requestTracing } from '#tracing/tracing'
import type { UploadJournal } from '#oci/uploads/upload_journal'
import type { ImageStores } from './image_locations.js'

/** Maximum number of registries with open connections and cached tokens. */
const MAX_REGISTRIES = 32

/** Covers the restart of a registry. */
const RETRY_FOR_MS = 65_000

interface ImageStoreSettings {
  readonly folder: string
  /** Hosts whose TLS certificate is not verified. */
  readonly insecure: readonly string[]
  /** Restricts the redirects of a registry host. Unrestricted if left out. */
  readonly guardFor?: (host: string) => OutboundGuard
  /** Records uploads to registries. */
  readonly journal?: UploadJournal
}

export interface OpenImageStores extends ImageStores {
  registry(...args: Parameters<ImageStores['registry']>): RegistryStore
}

/** Opens the folder on first use, and each registry once per account. */
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
        tracing: requestTracing,
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

/** A store that is still in use reconnects. */
function closeOldest(registries: Map<string, RegistryStore>): void {
  const [oldest] = registries
  if (oldest && registries.size > MAX_REGISTRIES) {
    registries.delete(oldest[0])
    oldest[1].close()
  }
}
