import { constants, createReadStream } from 'node:fs'
import { lstat, open, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'

import { BoundedCounter, DEFAULT_BOUNDS, type Bounds } from './bounded_counter.js'
import { namesOf, requireInside } from './paths.js'
import type { Tree, TreeEntry } from './tree.js'
import { SourceUnreadable, SourceRejected } from './source_errors.js'

const EXCLUDED = new Set(['.git'])

/** The files of a local folder. */
export class FolderTree implements Tree {
  readonly name: string
  readonly #bounds: Bounds

  constructor(folder: string, bounds: Bounds = DEFAULT_BOUNDS) {
    this.name = folder
    this.#bounds = bounds
  }

  async *entries(signal: AbortSignal): AsyncGenerator<TreeEntry, void, undefined> {
    yield* this.#within('', new BoundedCounter(this.#bounds), signal)
  }

  async *#within(
    path: string,
    count: BoundedCounter,
    signal: AbortSignal
  ): AsyncGenerator<TreeEntry, void, undefined> {
    for (const name of await this.#names(path)) {
      signal.throwIfAborted()
      const entry = await this.#entry(namesOf(path ? `${path}/${name}` : name).join('/'))
      count.entry()
      count.bytes(entry.type === 'file' ? entry.size : 0)
      yield entry
      if (entry.type === 'folder') {
        yield* this.#within(entry.path, count, signal)
      }
    }
  }

  async #names(path: string): Promise<string[]> {
    try {
      const names = await readdir(join(this.name, path))
      return names.filter((name) => !EXCLUDED.has(name)).toSorted()
    } catch (error) {
      throw new SourceUnreadable(this.name, (error as Error).message, { cause: error })
    }
  }

  async #entry(path: string): Promise<TreeEntry> {
    const file = join(this.name, path)
    const stats = await lstat(file)
    if (stats.isDirectory()) {
      return { type: 'folder', path }
    }
    if (stats.isSymbolicLink()) {
      const target = await readlink(file)
      requireInside(path, target)
      return { type: 'link', path, target }
    }
    if (!stats.isFile()) {
      throw new SourceRejected(`${JSON.stringify(path)} is neither a file, a folder nor a link`)
    }
    const { size, mode } = stats
    return {
      type: 'file',
      path,
      size,
      isExecutable: (mode & 0o100) !== 0,
      content: () => bytesOf(file, size),
    }
  }
}

/** Reads at most the size that was found, in case the file grows. */
async function* bytesOf(path: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  if (size === 0) {
    return
  }
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  yield* createReadStream('', { fd: file, start: 0, end: size - 1 })
}
