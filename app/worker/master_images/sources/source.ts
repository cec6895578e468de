import type { Listing } from './listing.js'

/** The image that is to be made, as the platform knows it. */
export interface WantedImage {
  readonly path?: string | null | undefined
  readonly virtualPath: string
}

/** A folder with a Dockerfile in it. */
export interface Context {
  readonly kind: 'context'
  readonly folder: string
  /** Where it is from, in sentences. */
  readonly source: string
  /** That of the repository, where its archive tells it. */
  readonly commit: string | undefined
  /** The SHA-256 of what is in each file, in hexadecimal digits; of links, that of where they lead. */
  readonly files: ReadonlyMap<string, string>
}

/** What an image is made from. */
export type Material =
  | Context
  /** An image of another registry. */
  | { readonly kind: 'reference'; readonly reference: string }
  /** An image that is in the folder of images. */
  | { readonly kind: 'imported' }
  /** Nothing that could be built. */
  | { readonly kind: 'description' }

/** Where master images come from. */
export interface ImageSource {
  /** In sentences. */
  readonly name: string

  /** All it holds, or an error: what is not named is taken away by the platform. */
  list(signal: AbortSignal): Promise<Listing>

  /** What one image is made from; files are put into a folder that is there, and empty. Undefined where it is not from here. */
  material(wanted: WantedImage, folder: string, signal: AbortSignal): Promise<Material | undefined>
}
