import type { Tree } from '#worker/master_images/trees/tree'
import { SourceRejected } from '#worker/master_images/trees/source_errors'

export const IMAGE_FILE = 'image.json'
const GROUP_FILE = 'image-group.json'
export const DOCKERFILE = 'Dockerfile'

const MAX_FILE_BYTES = 64 * 1024
const MAX_FOLDERS = 10_000

/** The files of an image or group in one folder. */
export interface FoundFolder {
  readonly path: string
  readonly kind: 'image' | 'group'
  readonly hasDockerfile: boolean
  /** The attribute file. Its text is undefined if it is too large or a link. */
  readonly file?: { readonly name: string; readonly text: string | undefined }
}

type SeenFiles = Map<string, string | undefined>

/** The folders of a tree that are an image or a group, sorted by path. */
export async function foundFolders(tree: Tree, signal: AbortSignal): Promise<FoundFolder[]> {
  const filesByFolder = new Map<string, SeenFiles>()
  for await (const entry of tree.entries(signal)) {
    const slash = entry.path.lastIndexOf('/')
    const name = entry.path.slice(slash + 1)
    if (entry.type === 'folder' || ![IMAGE_FILE, GROUP_FILE, DOCKERFILE].includes(name)) {
      continue
    }
    const path = entry.path.slice(0, Math.max(slash, 0))
    const files: SeenFiles = filesByFolder.get(path) ?? new Map()
    filesByFolder.set(path, files)
    const isRead = entry.type === 'file' && name !== DOCKERFILE && entry.size <= MAX_FILE_BYTES
    files.set(name, isRead ? await textOf(entry.content()) : undefined)
    if (filesByFolder.size > MAX_FOLDERS) {
      throw new SourceRejected(`it has more than ${MAX_FOLDERS} images and groups`)
    }
  }
  return [...filesByFolder].map(([path, files]) => folderOf(path, files)).toSorted(byPath)
}

/** An attribute file takes precedence over a Dockerfile. */
function folderOf(path: string, files: SeenFiles): FoundFolder {
  const name = [IMAGE_FILE, GROUP_FILE].find((file) => files.has(file))
  return {
    path,
    kind: name === GROUP_FILE ? 'group' : 'image',
    hasDockerfile: files.has(DOCKERFILE),
    ...(name !== undefined && { file: { name, text: files.get(name) } }),
  }
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(content)).toString('utf8')
}

/** Compares path segments ignoring case, so that the contents of a folder follow it. */
function byPath(one: FoundFolder, other: FoundFolder): number {
  const names = one.path.split('/')
  const against = other.path.split('/')
  const at = names.findIndex((name, index) => name !== against[index])
  if (at === -1 || against[at] === undefined) {
    return names.length - against.length
  }
  const [left, right] = [names[at]!, against[at]]
  return compare(left.toLowerCase(), right.toLowerCase()) || compare(left, right)
}

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)
