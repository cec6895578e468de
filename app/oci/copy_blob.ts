import { counted } from './counted.js'
import type { BlobAddress, ImageStore } from './image_store.js'

export interface Shelf {
  readonly store: ImageStore
  readonly repository: string
}

/** Has a blob be in another repository: there already, mounted, or read and written. */
export async function copyBlob(
  from: Shelf,
  to: Shelf,
  blob: BlobAddress,
  onBytes: (bytes: number) => void = () => {}
): Promise<void> {
  const { digest, size } = blob
  const isSamePlace = from.store.place === to.store.place
  if (isSamePlace && from.repository === to.repository) {
    return onBytes(size)
  }
  if (isSamePlace && (await to.store.mountBlob(to.repository, digest, from.repository))) {
    return onBytes(size)
  }
  if (await to.store.hasBlob(to.repository, digest)) {
    return onBytes(size)
  }
  let told = 0
  const begin = () => {
    onBytes(-told)
    told = 0
    return counted(from.store.readBlob(from.repository, blob), (bytes) => {
      told += bytes
      onBytes(bytes)
    })
  }
  await to.store.writeBlob(to.repository, begin, blob)
}
