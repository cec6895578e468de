import type { ImageStore } from '#oci/image_store'

/** Where an imported image goes. */
export interface ImportTarget {
  readonly store: ImageStore
  readonly repository: string
  readonly tag: string
}

export interface ImportOptions {
  /** What the archive calls the image, where it has several. */
  readonly image?: string
  readonly signal?: AbortSignal
  /** Is told of bytes of the image as they are stored. */
  readonly onBytes?: (bytes: number) => void
}

export interface ImageInArchive {
  /** What the archive calls it; several names where it has several. */
  readonly names: readonly string[]
}
