import { countBytes } from './count_bytes.js'
import type { BlobAddress, ImageStore } from './image_store.js'

export interface ImageRepository {
  readonly store: ImageStore
  readonly repository: string
}

/** Copies a blob to another repository: skips it if present, mounts it if possible, otherwise transfers it. */
export async function copyBlob(
  from: ImageRepository,
  to: ImageRepository,
  blob: BlobAddress,
  onBytes: (bytes: number) => void = () => {}
): Promise<void> {
  const { digest, size } = blob
  const isSameStorage = from.store.storageId === to.store.storageId
  if (isSameStorage && from.repository === to.repository) {
    return onBytes(size)
  }
  if (isSameStorage && (await to.store.mountBlob(to.repository, digest, from.repository))) {
    return onBytes(size)
  }
  if (await to.store.hasBlob(to.repository, digest)) {
    return onBytes(size)
  }
  let reported = 0
  const open = () => {
    onBytes(-reported)
    reported = 0
    return countBytes(from.store.readBlob(from.repository, blob), (bytes) => {
      reported += bytes
      onBytes(bytes)
    })
  }
  await to.store.writeBlob(to.repository, open, blob)
}
