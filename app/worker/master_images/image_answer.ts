import type {
  Fault,
  ListedGroup,
  ListedImage,
  Listing,
} from '#worker/master_images/sources/listing'

/** An image or a group as the platform has it now. */
export interface KnownPlace {
  readonly virtualPath: string
  readonly name?: string | null | undefined
  readonly path?: string | null | undefined
}

export interface KnownImage extends KnownPlace {
  readonly command?: string | null | undefined
  readonly commandArguments?: readonly ToldArgument[] | null | undefined
}

/** What the platform has before it is told anything. */
export interface Known {
  readonly images: readonly KnownImage[]
  readonly groups: readonly KnownPlace[]
}

interface ToldArgument {
  readonly value: string
  readonly position?: 'before' | 'after' | null | undefined
}

type ToldImage = Omit<ListedImage, 'command' | 'commandArguments'> & {
  readonly command: string | null
  readonly commandArguments: readonly ToldArgument[]
}

/** What the platform is told: all images and groups there are. */
export interface ImageAnswer {
  readonly images: readonly ToldImage[]
  readonly groups: readonly ListedGroup[]
}

/**
 * Makes one answer of what the sources hold, the first that names an image being the one that counts. The platform takes away what the
 * answer does not name, and with it what analyses run on. So what is broken is named as the platform has it; what it never had is left out.
 */
export function imageAnswer(listings: readonly Listing[], known: Known): ImageAnswer {
  const images = new Map<string, ToldImage>()
  const groups = new Map<string, ListedGroup>()
  for (const listing of listings) {
    addNew(images, listing.images)
    addNew(groups, listing.groups)
    const broken = listing.faults.filter(isOf('image'))
    addNew(images, kept(known.images, broken).map(imageAsKnown))
    addNew(groups, kept(known.groups, listing.faults.filter(isOf('group'))).map(placeAsKnown))
  }
  return { images: [...images.values()], groups: [...groups.values()] }
}

function addNew<T extends { readonly virtualPath: string }>(
  all: Map<string, T>,
  more: readonly T[]
): void {
  for (const one of more) {
    if (!all.has(one.virtualPath)) {
      all.set(one.virtualPath, one)
    }
  }
}

function kept<T extends KnownPlace>(known: readonly T[], faults: readonly Fault[]): T[] {
  const broken = new Set(faults.map(({ virtualPath }) => virtualPath))
  return known.filter(({ virtualPath }) => broken.has(virtualPath))
}

function placeAsKnown({ name, path, virtualPath }: KnownPlace): ListedGroup {
  const last = virtualPath.slice(virtualPath.lastIndexOf('/') + 1)
  return { name: name ?? last, path: path ?? virtualPath, virtualPath }
}

function imageAsKnown({ command, commandArguments, ...place }: KnownImage): ToldImage {
  return {
    ...placeAsKnown(place),
    command: command ?? null,
    commandArguments: commandArguments ?? [],
  }
}

const isOf = (kind: Fault['kind']) => (fault: Fault) => fault.kind === kind
