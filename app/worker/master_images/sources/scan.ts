import type { Tree } from '#worker/master_images/trees/tree'
import { AttributeInvalid, readAttributes, type Attributes } from './attributes.js'
import { foundFolders, IMAGE_FILE, type FoundFolder } from './found_folders.js'
import type { Fault, ListedGroup, ListedImage, Listing } from './listing.js'

interface ScannedImage extends ListedImage {
  readonly hasDockerfile: boolean
  /** An image of another registry that is used instead of building one. */
  readonly image?: string | undefined
}

export interface Scan extends Listing {
  readonly images: readonly ScannedImage[]
}

/** The attributes that a folder passes on to those within it. */
interface FolderScope {
  readonly path: string
  readonly virtualPath: string
  readonly attributes: Attributes
  readonly fault?: string
}

/**
 * Finds images and groups in a tree. Images inherit the attributes of their groups. Mistakes are reported as faults: a
 * fault of a group also applies to everything that inherits from it.
 */
export async function scan(tree: Tree, signal: AbortSignal): Promise<Scan> {
  const found: { groups: ListedGroup[]; images: ScannedImage[]; faults: Fault[] } = {
    groups: [],
    images: [],
    faults: [],
  }
  const pathsByName = new Map<string, string>()
  const scopes: FolderScope[] = []
  for (const folder of await foundFolders(tree, signal)) {
    while (scopes.length > 0 && !isWithin(folder.path, scopes.at(-1)!.path)) {
      scopes.pop()
    }
    const scope = scopeOf(folder, scopes.at(-1))
    scopes.push(folder.kind === 'group' ? inheritable(folder, scope) : scope)
    const { virtualPath } = scope
    if (virtualPath === '') {
      continue
    }
    try {
      requireUnique(pathsByName, folder, virtualPath)
      if (folder.kind === 'group') {
        found.groups.push(groupOf(folder, scope))
      } else {
        found.images.push(imageOf(folder, scope))
      }
    } catch (error) {
      found.faults.push({ kind: folder.kind, virtualPath, message: messageOf(error) })
    }
  }
  return found
}

/** The virtual path consists of folders that are an image or a group. */
function scopeOf({ path }: FoundFolder, parent: FolderScope | undefined): FolderScope {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const virtualPath = [parent?.virtualPath, name].filter(Boolean).join('/')
  return {
    path,
    virtualPath,
    attributes: parent?.attributes ?? {},
    ...(parent?.fault !== undefined && { fault: parent.fault }),
  }
}

function inheritable(folder: FoundFolder, scope: FolderScope): FolderScope {
  try {
    const { command, commandArguments } = attributesOf(folder, scope)
    return {
      ...scope,
      attributes: {
        ...(command !== undefined && { command }),
        ...(commandArguments && { commandArguments }),
      },
    }
  } catch (error) {
    return { ...scope, fault: messageOf(error) }
  }
}

function attributesOf({ path, file }: FoundFolder, { attributes, fault }: FolderScope): Attributes {
  if (fault !== undefined) {
    throw new AttributeInvalid(fault)
  }
  if (!file) {
    return attributes
  }
  const name = within(path, file.name)
  if (file.text === undefined) {
    throw new AttributeInvalid(`${name} is not a file of at most 64 KiB`)
  }
  return { ...attributes, ...readAttributes(name, file.text) }
}

function groupOf(folder: FoundFolder, scope: FolderScope): ListedGroup {
  const { name } = attributesOf(folder, scope)
  const { virtualPath } = scope
  const parent = virtualPath.slice(0, Math.max(virtualPath.lastIndexOf('/'), 0))
  return { name: name ?? (parent || virtualPath), path: folder.path, virtualPath }
}

function imageOf(folder: FoundFolder, scope: FolderScope): ScannedImage {
  const { path, hasDockerfile } = folder
  const { command, commandArguments = [], image } = attributesOf(folder, scope)
  if (command === undefined) {
    const file = within(path, IMAGE_FILE)
    throw new AttributeInvalid(`neither ${file} nor a group above it has a command`)
  }
  const { virtualPath } = scope
  const name = virtualPath.slice(virtualPath.lastIndexOf('/') + 1)
  return { name, path, virtualPath, command, commandArguments, hasDockerfile, image }
}

function requireUnique(
  pathsByName: Map<string, string>,
  { path }: FoundFolder,
  virtualPath: string
): void {
  const existing = pathsByName.get(virtualPath)
  if (existing !== undefined) {
    throw new AttributeInvalid(`${path} and ${existing} have the same virtual path ${virtualPath}`)
  }
  pathsByName.set(virtualPath, path)
}

function messageOf(error: unknown): string {
  if (error instanceof AttributeInvalid) {
    return error.message
  }
  throw error
}

const within = (path: string, file: string) => (path === '' ? file : `${path}/${file}`)
const isWithin = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`)
