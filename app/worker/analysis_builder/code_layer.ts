import type { BlobSource } from '#oci/image_store'
import { layerEntries, type LayerEntry } from '#oci/tar/layer_entries'
import type { Platform } from '#worker/platform/platform'
import type { Code, CodeFile } from './code_files.js'
import { fileBytes } from './file_bytes.js'
import { CODE_FOLDER } from './run_command.js'

/** Small files are read before their turn comes, so that a thousand of them do not cost a thousand waits. */
const AHEAD = 16
const SMALL_BYTES = 64 * 1024

/** Whoever runs the code may read and execute all of it. */
const MODE = 0o755

/** The files of an analysis as entries of a layer, which are read in the order of the layer. */
export function codeLayer(
  platform: Platform,
  { files }: Pick<Code, 'files'>,
  read?: FileRead
): LayerEntry[] {
  const ahead = new ReadAhead((file) => fileBytes(platform, file, read))
  const entries = layerEntries(
    files.map((file) => ({
      path: file.path,
      size: file.size,
      mode: MODE,
      open: () => ahead.open(file),
    })),
    CODE_FOLDER
  )
  const byPath = new Map(files.map((file) => [`${CODE_FOLDER}/${file.path}`, file]))
  ahead.follow(entries.flatMap(({ path }) => byPath.get(path) ?? []))
  return entries
}

/** Is told what was in a file, once all of it was read. */
export type FileRead = (path: string, sha256: string) => void

class ReadAhead {
  readonly #bytesOf: (file: CodeFile) => BlobSource
  readonly #read = new Map<CodeFile, Promise<Uint8Array>>()
  readonly #places = new Map<CodeFile, number>()
  #order: readonly CodeFile[] = []

  constructor(bytesOf: (file: CodeFile) => BlobSource) {
    this.#bytesOf = bytesOf
  }

  /** In which order files will be opened. */
  follow(order: readonly CodeFile[]): void {
    this.#order = order
    order.forEach((file, place) => this.#places.set(file, place))
  }

  async open(file: CodeFile): Promise<BlobSource> {
    const place = this.#places.get(file) ?? 0
    const next = this.#order.slice(place, place + AHEAD)
    next.filter(({ size }) => size <= SMALL_BYTES).forEach((small) => this.#begin(small))
    const small = this.#read.get(file)
    this.#read.delete(file)
    return small ? inOne(await small) : this.#bytesOf(file)
  }

  #begin(file: CodeFile): void {
    if (!this.#read.has(file)) {
      const reading = whole(this.#bytesOf(file))
      reading.catch(() => {})
      this.#read.set(file, reading)
    }
  }
}

const whole = async (bytes: BlobSource) => Buffer.concat(await Array.fromAsync(bytes))

async function* inOne(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
