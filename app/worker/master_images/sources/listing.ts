/** An argument of the command that an image runs. */
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
  /** Of an image that is where analyses are built on it, and needs no build. */
  readonly hash?: string
  readonly size?: number
}

/** What is there, and cannot be taken over as it is. */
export interface Fault {
  readonly kind: 'image' | 'group'
  readonly virtualPath: string
  /** What somebody has to put right. */
  readonly message: string
}

/** What a source of images holds. What is broken is named, since it is there. */
export interface Listing {
  readonly images: readonly ListedImage[]
  readonly groups: readonly ListedGroup[]
  readonly faults: readonly Fault[]
}
