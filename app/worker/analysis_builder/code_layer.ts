import { hash } from 'node:crypto'

import type { BlobSource } from '#oci/image_store'
import { layerEntries, type LayerEntry } from '#oci/tar/layer_entries'
import type { Platform } from '#worker/platform/platform'
import { BucketStream } from './bucket_stream.js'
import { MIN_FILES_FOR_TAR, type BucketTars } from './bucket_tars.js'
import { codeChanged, type Code, type CodeFile } from './code_files.js'
import { fileBytes } from './file_bytes.js'
import { ReadAhead } from './read_ahead.js'
import { CODE_FOLDER } from './run_command.js'

/** Where all files are small, many of them come by one request. */
const SMALL_BYTES = 1024 ** 2

/** Whoever runs the code may read and execute all of it. */
const MODE = 0o755

/** Is told what was in a file, once all of it was read. */
export type OnFileRead = (path: string, sha256: string) => void

/** The files of an analysis as entries of a layer, which are read in the order of the layer. */
export class CodeLayer {
  readonly entries: readonly LayerEntry[]
  readonly #tars: BucketTars
  readonly #code: Pick<Code, 'bucketId' | 'files'>
  readonly #onRead: OnFileRead
  readonly #first: CodeFile | undefined
  readonly #ahead: ReadAhead
  #stream: BucketStream | undefined

  constructor(
    platform: Platform,
    tars: BucketTars,
    code: Pick<Code, 'bucketId' | 'files'>,
    onRead: OnFileRead
  ) {
    this.#tars = tars
    this.#code = code
    this.#onRead = onRead
    this.entries = layerEntries(
      code.files.map((file) => ({
        path: file.path,
        size: file.size,
        mode: MODE,
        open: () => this.#open(file),
      })),
      CODE_FOLDER
    )
    const byPath = new Map(code.files.map((file) => [`${CODE_FOLDER}/${file.path}`, file]))
    const order = this.entries.flatMap(({ path }) => byPath.get(path) ?? [])
    this.#first = order[0]
    this.#ahead = new ReadAhead(order, (file) => fileBytes(platform, file, onRead))
  }

  /** Lets go of what was begun to be read. */
  async close(): Promise<void> {
    await this.#stream?.close()
    this.#stream = undefined
  }

  async #open(file: CodeFile): Promise<BlobSource | Uint8Array> {
    if (file === this.#first) {
      await this.#restart()
    }
    const bytes = await this.#stream?.take(file)
    if (!bytes) {
      return this.#ahead.open(file)
    }
    const sha256 = hash('sha256', bytes)
    if (file.sha256 !== undefined && file.sha256 !== sha256) {
      throw codeChanged(file.path, 'is not what was stored')
    }
    this.#onRead(file.path, sha256)
    return bytes
  }

  /** A layer that has to be sent again is read again. */
  async #restart(): Promise<void> {
    await this.close()
    const { bucketId, files } = this.#code
    if (files.length >= MIN_FILES_FOR_TAR && files.every(({ size }) => size <= SMALL_BYTES)) {
      this.#stream = new BucketStream(this.#tars.next(bucketId), files)
    } else {
      this.#tars.release()
    }
  }
}
