import { StreamReader } from '#oci/archive/byte_readers'
import { tarEntries } from '#oci/archive/tar_reader'
import { ImageFailure } from '#oci/errors'
import { JobFailure } from '#worker/job_failure'
import type { Tar } from './bucket_tars.js'
import type { CodeFile } from './code_files.js'

/** Limit for files that arrive before they are requested. */
const MAX_BUFFERED_BYTES = 16 * 1024 ** 2

/**
 * Reads the files of a bucket with one request. Storage verifies each file before sending its last bytes. If the stream
 * breaks, the remaining files must be requested one by one.
 */
export class BucketStream {
  readonly #files: AsyncGenerator<readonly [path: string, bytes: Buffer], void, undefined>
  readonly #buffered = new Map<string, Buffer>()
  #bufferedBytes = 0

  constructor(tar: Promise<Tar>, files: readonly CodeFile[]) {
    const sizes = new Map(files.map(({ path, size }) => [path, size]))
    this.#files = smallFiles(tar, sizes)
  }

  /** The content of a file, or undefined if it does not arrive as expected. */
  async take({ path }: CodeFile): Promise<Buffer | undefined> {
    while (!this.#buffered.has(path) && this.#bufferedBytes < MAX_BUFFERED_BYTES) {
      const next = await this.#next()
      if (!next) {
        break
      }
      this.#buffered.set(...next)
      this.#bufferedBytes += next[1].byteLength
    }
    const bytes = this.#buffered.get(path)
    this.#buffered.delete(path)
    this.#bufferedBytes -= bytes?.byteLength ?? 0
    return bytes
  }

  async close(): Promise<void> {
    await this.#files.return()
  }

  async #next(): Promise<readonly [string, Buffer] | undefined> {
    try {
      const { value } = await this.#files.next()
      return value ?? undefined
    } catch (error) {
      if (error instanceof JobFailure || error instanceof ImageFailure) {
        return undefined
      }
      throw error
    }
  }
}

async function* smallFiles(
  tarPromise: Promise<Tar>,
  sizes: ReadonlyMap<string, number>
): AsyncGenerator<readonly [string, Buffer], void, undefined> {
  const tar = await tarPromise
  if (!tar) {
    return
  }
  const reader = new StreamReader(tar)
  try {
    for await (const { entry, readAll } of tarEntries(reader)) {
      if (sizes.get(entry.path) === entry.size) {
        yield [entry.path, await readAll()]
      }
    }
  } finally {
    await reader.close()
  }
}
