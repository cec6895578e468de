import { mkdir } from 'node:fs/promises'

import { ImageRejected } from '#node/errors'
import { layerContent } from './layer_content.js'
import { RootFolder } from './root_folder.js'
import { takeEntry, unpackLayer, type UnpackBudget } from './unpack_layer.js'

export interface UnpackLimits {
  /** The decompressed size of all layers. */
  readonly maxBytes: number
  readonly maxEntries: number
}

/** The layers to unpack, which follow each other in one stream of bytes. */
export interface UnpackRequest {
  readonly path: string
  readonly workingFolder: string
  readonly limits: UnpackLimits
  readonly layers: readonly {
    readonly mediaType: string
    readonly diffId: string
    readonly size: number
  }[]
}

/** The mount points of a container. The root is read-only once it runs. */
const MOUNT_FOLDERS = ['proc', 'dev', 'tmp', 'etc']
const OF_THE_CONTAINER = new Set(['proc', 'sys', 'dev'])
const MOUNT_FILES = ['etc/hosts', 'etc/resolv.conf']

/** Writes layers into a new folder, in order. Returns the number of unpacked bytes. */
export async function unpackLayers(
  { path, workingFolder, limits, layers }: UnpackRequest,
  source: AsyncIterable<Buffer>
): Promise<number> {
  await mkdir(path)
  const budget: UnpackBudget = { bytes: limits.maxBytes, entries: limits.maxEntries }
  const root = new RootFolder(path, () => takeEntry(budget))
  root.makeFolder('')
  const pieces = new Pieces(source)
  for (const { mediaType, diffId, size } of layers) {
    const piece = pieces.next(size)
    await unpackLayer(root, layerContent(piece, mediaType, diffId), budget)
    await pieces.skipRest()
  }
  await prepareMounts(root, workingFolder)
  return limits.maxBytes - budget.bytes
}

/** A link at a mount point would redirect the mount. */
async function prepareMounts(root: RootFolder, workingFolder: string): Promise<void> {
  MOUNT_FOLDERS.forEach((folder) => root.makeFolder(folder))
  for (const file of MOUNT_FILES) {
    if (!root.isFile(file)) {
      const empty = await root.createFile(file, 0o644)
      await empty.close()
    }
  }
  // Locating a file creates the folders above it.
  const [first = ''] = root.locate(`${workingFolder}/file`).split('/')
  if (OF_THE_CONTAINER.has(first)) {
    throw new ImageRejected(
      `The image has a working folder in /${first}, which is that of the container: it has to be one of the image`
    )
  }
}

/** Splits a stream into parts of a known size. */
class Pieces {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  #left = 0

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  async *next(size: number): AsyncGenerator<Buffer, void, undefined> {
    this.#left = size
    while (this.#left > 0) {
      yield await this.#take()
    }
  }

  /** The bytes that a decompressor left unread. */
  async skipRest(): Promise<void> {
    while (this.#left > 0) {
      await this.#take()
    }
  }

  async #take(): Promise<Buffer> {
    if (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next()
      if (done) {
        throw new ImageRejected('A layer is damaged or truncated')
      }
      this.#rest = value
    }
    const piece = this.#rest.subarray(0, this.#left)
    this.#rest = this.#rest.subarray(piece.length)
    this.#left -= piece.length
    return piece
  }
}
