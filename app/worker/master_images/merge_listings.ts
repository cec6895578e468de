import type {
  Fault,
  ListedGroup,
  ListedImage,
  Listing,
} from '#worker/master_images/sources/listing'

/** An image or group that the platform knows. */
interface KnownGroup {
  readonly virtualPath: string
  readonly name?: string | null | undefined
  readonly path?: string | null | undefined
}

interface KnownImage extends KnownGroup {
  readonly command?: string | null | undefined
  readonly commandArguments?: readonly CommandArgument[] | null | undefined
}

/** The images and groups that the platform knows. */
export interface KnownImages {
  readonly images: readonly KnownImage[]
  readonly groups: readonly KnownGroup[]
}

interface CommandArgument {
  readonly value: string
  readonly position?: 'before' | 'after' | null | undefined
}

type SynchronizedImage = Omit<ListedImage, 'command' | 'commandArguments'> & {
  readonly command: string | null
  readonly commandArguments: readonly CommandArgument[]
}

/** All images and groups, as reported to the platform. */
export interface SynchronizationResult {
  readonly images: readonly SynchronizedImage[]
  readonly groups: readonly ListedGroup[]
}

/**
 * Merges the listings; the first source of an image wins. The platform deletes images that are not listed, so invalid
 * images are listed as they are known. Unknown invalid images are left out.
 */
export function mergeListings(
  listings: readonly Listing[],
  known: KnownImages
): SynchronizationResult {
  const images = new Map<string, SynchronizedImage>()
  const groups = new Map<string, ListedGroup>()
  for (const listing of listings) {
    addNew(images, listing.images)
    addNew(groups, listing.groups)
    const broken = listing.faults.filter(isFaultOf('image'))
    addNew(images, brokenAmong(known.images, broken).map(imageAsKnown))
    addNew(
      groups,
      brokenAmong(known.groups, listing.faults.filter(isFaultOf('group'))).map(groupAsKnown)
    )
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

function brokenAmong<T extends KnownGroup>(known: readonly T[], faults: readonly Fault[]): T[] {
  const broken = new Set(faults.map(({ virtualPath }) => virtualPath))
  return known.filter(({ virtualPath }) => broken.has(virtualPath))
}

function groupAsKnown({ name, path, virtualPath }: KnownGroup): ListedGroup {
  const last = virtualPath.slice(virtualPath.lastIndexOf('/') + 1)
  return { name: name ?? last, path: path ?? virtualPath, virtualPath }
}

function imageAsKnown({ command, commandArguments, ...group }: KnownImage): SynchronizedImage {
  return {
    ...groupAsKnown(group),
    command: command ?? null,
    commandArguments: commandArguments ?? [],
  }
}

const isFaultOf = (kind: Fault['kind']) => (fault: Fault) => fault.kind === kind
