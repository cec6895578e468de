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

/** If all files are at most this large, they are read with one request. */
const SMALL_BYTES = 1024 ** 2

/** Any user in the container may read and execute the code. */
const MODE = 0o755

/** Called when a file was read in full. */
export type OnFileRead = (path: string, sha256: string) => void

/** The files of an analysis as layer entries, read in layer order. */
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

  /** Closes an open stream. */
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
      throw codeChanged(file.path, 'differs from the stored digest')
    }
    this.#onRead(file.path, sha256)
    return bytes
  }

  /** A layer that must be resent reads its files again. */
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
