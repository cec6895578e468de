import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

import type { Bounds } from './bounded_counter.js'
import { DEFAULT_BOUNDS } from './bounded_counter.js'
import { fetchTarball, displayUrl } from './fetch_tarball.js'
import { repositoryEntries } from './repository_entries.js'
import type { OnCommit, Tree, TreeEntry } from './tree.js'
import { SourceUnreadable, SourceRejected } from './source_errors.js'

/** The files of a `.tar.gz` archive, streamed. */
export class TarballTree implements Tree {
  readonly name: string
  readonly #bytes: (signal: AbortSignal) => AsyncIterable<Uint8Array>
  readonly #bounds: Bounds

  private constructor(
    name: string,
    bytes: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
    bounds: Bounds
  ) {
    this.name = name
    this.#bytes = bytes
    this.#bounds = bounds
  }

  static at(url: string, token?: string, bounds = DEFAULT_BOUNDS): TarballTree {
    return new TarballTree(
      displayUrl(url),
      (signal) => fetchTarball({ url, token, signal }),
      bounds
    )
  }

  static in(file: string, bounds = DEFAULT_BOUNDS): TarballTree {
    return new TarballTree(file, (signal) => createReadStream(file, { signal }), bounds)
  }

  async *entries(
    signal: AbortSignal,
    onCommit?: OnCommit
  ): AsyncGenerator<TreeEntry, void, undefined> {
    const bytes = Readable.from(this.#bytes(signal), { objectMode: false })
    const unpacked = createGunzip()
    bytes.on('error', (error) => unpacked.destroy(error))
    bytes.pipe(unpacked)
    try {
      yield* repositoryEntries(unpacked, this.#bounds, onCommit)
    } catch (error) {
      signal.throwIfAborted()
      throw this.#toSourceError(error)
    } finally {
      bytes.destroy()
      unpacked.destroy()
    }
  }

  #toSourceError(error: unknown): unknown {
    const { code, message } = error as NodeJS.ErrnoException
    if (code?.startsWith('Z_')) {
      return new SourceRejected(`${this.name} is not a gzip archive, or it is damaged`)
    }
    return code?.startsWith('E')
      ? new SourceUnreadable(this.name, message, { cause: error })
      : error
  }
}
