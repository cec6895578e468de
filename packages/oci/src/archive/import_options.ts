import type { ImageStore } from '#oci/image_store'

export interface ImportTarget {
  readonly store: ImageStore
  readonly repository: string
  readonly tag: string
}

export interface ImportOptions {
  /** The name of the image in the archive. Required if the archive has several. */
  readonly image?: string
  readonly signal?: AbortSignal
  /** Called with the number of bytes stored. */
  readonly onBytes?: (bytes: number) => void
}

export interface ImageInArchive {
  readonly names: readonly string[]
}
