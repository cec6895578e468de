export interface ListedArgument {
  readonly value: string
  readonly position?: 'before' | 'after'
}

export interface ListedGroup {
  readonly name: string
  readonly path: string
  readonly virtualPath: string
}

export interface ListedImage extends ListedGroup {
  readonly command: string
  readonly commandArguments: readonly ListedArgument[]
  /** Digest of an image that needs no build. */
  readonly hash?: string
  readonly size?: number
}

/** An image or group that exists but is invalid. */
export interface Fault {
  readonly kind: 'image' | 'group'
  readonly virtualPath: string
  /** What its author must fix. */
  readonly message: string
}

/** The content of a source, including invalid entries. */
export interface Listing {
  readonly images: readonly ListedImage[]
  readonly groups: readonly ListedGroup[]
  readonly faults: readonly Fault[]
}
