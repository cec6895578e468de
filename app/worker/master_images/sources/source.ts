import type { Listing } from './listing.js'

/** The image to build, as the platform knows it. */
export interface WantedImage {
  readonly path?: string | null | undefined
  readonly virtualPath: string
}

/** A build context with a Dockerfile. */
export interface Context {
  readonly kind: 'context'
  readonly folder: string
  /** The source, for messages and provenance. */
  readonly source: string
  /** Commit of the repository, if its archive names it. */
  readonly commit: string | undefined
  /** SHA-256 of each file in hex; for links, of their target. */
  readonly files: ReadonlyMap<string, string>
}

/** What an image is built from. */
export type Material =
  | Context
  /** An image of another registry. */
  | { readonly kind: 'reference'; readonly reference: string }
  /** An image in the folder of images. */
  | { readonly kind: 'imported' }
  /** Nothing to build from. */
  | { readonly kind: 'description' }

/** A source of master images. */
export interface ImageSource {
  /** Name for messages. */
  readonly name: string

  /** Lists all images, or throws: the platform deletes images that are not listed. */
  list(signal: AbortSignal): Promise<Listing>

  /** The material of an image. Writes files into the empty folder. Undefined if the image is not from this source. */
  material(wanted: WantedImage, folder: string, signal: AbortSignal): Promise<Material | undefined>
}
