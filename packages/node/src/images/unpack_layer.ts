import { StreamReader } from '#oci/archive/byte_readers'
import { tarEntries, type ReadableEntry } from '#oci/archive/tar_reader'
import { ImageRejected } from '#node/errors'
import type { RootFolder } from './root_folder.js'

const WHITEOUT = '.wh.'
const OPAQUE = '.wh..wh..opq'
const TYPES = { folder: '5', hardLink: '1', link: '2' }
/** Character and block devices and pipes. They are skipped, since a container has its own `/dev`. */
const LEFT_OUT = ['3', '4', '6']

/** The unused part of the limits of an image. */
export interface UnpackBudget {
  bytes: number
  entries: number
}

/** Applies a layer to the layers below it. */
export async function unpackLayer(
  root: RootFolder,
  content: AsyncIterable<Uint8Array>,
  budget: UnpackBudget
): Promise<void> {
  const source = limited(content, budget)
  const reader = new StreamReader(source)
  const layer = new Layer(root)
  try {
    for await (const entry of tarEntries(reader, { maxEntries: budget.entries })) {
      takeEntry(budget)
      await layer.apply(entry)
    }
    // Bytes after the end of the archive are part of the digest.
    await reader.skip(Number.MAX_SAFE_INTEGER)
  } finally {
    await reader.close()
  }
}

/** Implicit folders count as well: a single name may need hundreds. */
export function takeEntry(budget: UnpackBudget): void {
  budget.entries--
  if (budget.entries < 0) {
    throw new ImageRejected('The image has more than the files and folders that this node accepts')
  }
}

async function* limited(
  content: AsyncIterable<Uint8Array>,
  budget: UnpackBudget
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of content) {
    budget.bytes -= chunk.byteLength
    if (budget.bytes < 0) {
      throw new ImageRejected('The unpacked image is larger than this node accepts')
    }
    yield chunk
  }
}

class Layer {
  readonly #root: RootFolder
  /** The paths that this layer has created, which its whiteouts do not remove. */
  readonly #created = new Set<string>()

  constructor(root: RootFolder) {
    this.#root = root
  }

  async apply(readable: ReadableEntry): Promise<void> {
    try {
      await this.#apply(readable)
    } catch (error) {
      throw isOfName(error)
        ? new ImageRejected('A layer has an entry that no file system takes', error)
        : error
    }
  }

  async #apply(readable: ReadableEntry): Promise<void> {
    const path = this.#root.locate(readable.entry.name)
    const slash = path.lastIndexOf('/')
    const folder = path.slice(0, Math.max(0, slash))
    const name = path.slice(slash + 1)
    if (name === OPAQUE) {
      this.#removeBelow(folder)
    } else if (name.startsWith(WHITEOUT)) {
      this.#removeLower(join(folder, hiddenName(name)))
    } else {
      await this.#create(path, readable)
    }
  }

  async #create(path: string, { entry, bytes }: ReadableEntry): Promise<void> {
    if (LEFT_OUT.includes(entry.type)) {
      return
    }
    if (path === '' && entry.type !== TYPES.folder) {
      throw new ImageRejected('A layer replaces the root folder')
    }
    this.#markCreated(path)
    if (entry.type === TYPES.folder) {
      this.#root.makeFolder(path)
    } else if (entry.type === TYPES.link) {
      this.#root.makeLink(path, entry.target)
    } else if (entry.type === TYPES.hardLink) {
      this.#root.makeHardLink(path, entry.target)
    } else if (entry.kind === 'file') {
      await this.#writeFile(path, entry.mode, bytes())
    } else {
      throw new ImageRejected(`A layer has an entry of the unsupported type "${entry.type}"`)
    }
  }

  async #writeFile(path: string, mode: number, content: AsyncIterable<Buffer>): Promise<void> {
    const file = await this.#root.createFile(path, mode)
    try {
      for await (const chunk of content) {
        await file.appendFile(chunk)
      }
    } finally {
      await file.close()
    }
  }

  #markCreated(path: string): void {
    for (
      let at = path;
      at !== '' && !this.#created.has(at);
      at = at.slice(0, Math.max(0, at.lastIndexOf('/')))
    ) {
      this.#created.add(at)
    }
  }

  #removeBelow(folder: string): void {
    for (const name of this.#root.names(folder)) {
      this.#removeLower(join(folder, name))
    }
  }

  #removeLower(path: string): void {
    if (this.#created.has(path)) {
      this.#removeBelow(path)
    } else {
      this.#root.remove(path)
    }
  }
}

/** File system errors that the content of a layer can cause, unlike a full disk. */
const OF_NAMES = new Set([
  'ENAMETOOLONG',
  'ELOOP',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'EINVAL',
  'EMLINK',
])

const isOfName = (error: unknown): boolean =>
  OF_NAMES.has((error as NodeJS.ErrnoException).code ?? '')

/** A whiteout with a name such as `.wh...` would hide the folder above. */
function hiddenName(whiteout: string): string {
  const name = whiteout.slice(WHITEOUT.length)
  if (name === '' || name === '.' || name === '..') {
    throw new ImageRejected(`A layer has an unsafe whiteout: ${JSON.stringify(whiteout)}`)
  }
  return name
}

const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
