import type { Tree } from '#worker/master_images/trees/tree'
import { AttributeInvalid, readAttributes, type Attributes } from './attributes.js'
import { foundFolders, IMAGE_FILE, type FoundFolder } from './found_folders.js'
import type { Fault, ListedGroup, ListedImage, Listing } from './listing.js'

/** An image as it stands in a tree: what is listed of it, and what it is made from. */
export interface ScannedImage extends ListedImage {
  readonly hasDockerfile: boolean
  /** An image elsewhere, which is taken instead of being built. */
  readonly image?: string | undefined
}

export interface Scan extends Listing {
  readonly images: readonly ScannedImage[]
}

/** What a folder hands down to what is in it, unless it cannot be understood. */
interface Around {
  readonly path: string
  readonly virtualPath: string
  readonly attributes: Attributes
  readonly broken?: string
}

/**
 * The images and groups that a tree holds. An image takes over what the groups around it say, unless it says so itself. What is wrong
 * with one is no reason to lose the others, but to be told: where a group is broken, so is all that would take over what it says.
 */
export async function scan(tree: Tree, signal: AbortSignal): Promise<Scan> {
  const found: { groups: ListedGroup[]; images: ScannedImage[]; faults: Fault[] } = {
    groups: [],
    images: [],
    faults: [],
  }
  const taken = new Map<string, string>()
  const around: Around[] = []
  for (const folder of await foundFolders(tree, signal)) {
    while (around.length > 0 && !isWithin(folder.path, around.at(-1)!.path)) {
      around.pop()
    }
    const here = placed(folder, around.at(-1))
    around.push(folder.kind === 'group' ? handedDown(folder, here) : here)
    const { virtualPath } = here
    if (virtualPath === '') {
      continue
    }
    try {
      requireOnce(taken, folder, virtualPath)
      if (folder.kind === 'group') {
        found.groups.push(groupOf(folder, here))
      } else {
        found.images.push(imageOf(folder, here))
      }
    } catch (error) {
      found.faults.push({ kind: folder.kind, virtualPath, sentence: sentenceOf(error) })
    }
  }
  return found
}

/** Only folders that are an image or a group make up the path by which it is known. */
function placed({ path }: FoundFolder, outer: Around | undefined): Around {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const virtualPath = [outer?.virtualPath, name].filter(Boolean).join('/')
  return {
    path,
    virtualPath,
    attributes: outer?.attributes ?? {},
    ...(outer?.broken !== undefined && { broken: outer.broken }),
  }
}

function handedDown(folder: FoundFolder, here: Around): Around {
  try {
    const { command, commandArguments } = attributesOf(folder, here)
    return {
      ...here,
      attributes: {
        ...(command !== undefined && { command }),
        ...(commandArguments && { commandArguments }),
      },
    }
  } catch (error) {
    return { ...here, broken: sentenceOf(error) }
  }
}

function attributesOf({ path, file }: FoundFolder, { attributes, broken }: Around): Attributes {
  if (broken !== undefined) {
    throw new AttributeInvalid(broken)
  }
  if (!file) {
    return attributes
  }
  const name = within(path, file.name)
  if (file.text === undefined) {
    throw new AttributeInvalid(`${name} is no file of at most 64 KiB`)
  }
  return { ...attributes, ...readAttributes(name, file.text) }
}

function groupOf(folder: FoundFolder, here: Around): ListedGroup {
  const { name } = attributesOf(folder, here)
  const { virtualPath } = here
  const outer = virtualPath.slice(0, Math.max(virtualPath.lastIndexOf('/'), 0))
  return { name: name ?? (outer || virtualPath), path: folder.path, virtualPath }
}

function imageOf(folder: FoundFolder, here: Around): ScannedImage {
  const { path, hasDockerfile } = folder
  const { command, commandArguments = [], image } = attributesOf(folder, here)
  if (command === undefined) {
    const file = within(path, IMAGE_FILE)
    throw new AttributeInvalid(`neither ${file} nor a group around it says which command it runs`)
  }
  const { virtualPath } = here
  const name = virtualPath.slice(virtualPath.lastIndexOf('/') + 1)
  return { name, path, virtualPath, command, commandArguments, hasDockerfile, image }
}

function requireOnce(taken: Map<string, string>, { path }: FoundFolder, virtualPath: string): void {
  const twin = taken.get(virtualPath)
  if (twin !== undefined) {
    throw new AttributeInvalid(`${path} and ${twin} are both called ${virtualPath}`)
  }
  taken.set(virtualPath, path)
}

function sentenceOf(error: unknown): string {
  if (error instanceof AttributeInvalid) {
    return error.message
  }
  throw error
}

const within = (path: string, file: string) => (path === '' ? file : `${path}/${file}`)
const isWithin = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`)
