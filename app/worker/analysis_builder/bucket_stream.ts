import { StreamReader } from '#oci/archive/byte_readers'
import { tarEntries } from '#oci/archive/tar_reader'
import { ImageFailure } from '#oci/errors'
import { JobFailure } from '#worker/job_failure'
import type { Tar } from './bucket_tars.js'
import type { CodeFile } from './code_files.js'

/** Of files that come before their turn no more is held. */
const MAX_BUFFERED_BYTES = 16 * 1024 ** 2

/**
 * The files of a bucket by one request for all of them. Storage makes sure of each that it is what was stored before it sends the last of it, and a
 * stream that breaks off has no more files: they have to be asked for one by one.
 */
export class BucketStream {
  readonly #files: AsyncGenerator<readonly [path: string, bytes: Buffer], void, undefined>
  readonly #buffered = new Map<string, Buffer>()
  #bufferedBytes = 0

  constructor(tar: Promise<Tar>, files: readonly CodeFile[]) {
    const sizes = new Map(files.map(({ path, size }) => [path, size]))
    this.#files = smallFiles(tar, sizes)
  }

  /** What is in a file; undefined where it does not come, or not as it should be. */
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
