import { constants, createReadStream } from 'node:fs'
import { lstat, open, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'

import { Count, USUAL_BOUNDS, type Bounds } from './bounded.js'
import { namesOf, requireInside } from './paths.js'
import type { Tree, TreeEntry } from './tree.js'
import { SourceUnreadable, TreeRefused } from './tree_refused.js'

const LEFT_OUT = new Set(['.git'])

/** The files of a folder on this machine: a repository that was brought here. */
export class FolderTree implements Tree {
  readonly name: string
  readonly #bounds: Bounds

  constructor(folder: string, bounds: Bounds = USUAL_BOUNDS) {
    this.name = folder
    this.#bounds = bounds
  }

  async *entries(signal: AbortSignal): AsyncGenerator<TreeEntry, void, undefined> {
    yield* this.#within('', new Count(this.#bounds), signal)
  }

  async *#within(
    path: string,
    count: Count,
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
      return names.filter((name) => !LEFT_OUT.has(name)).toSorted()
    } catch (error) {
      throw new SourceUnreadable(this.name, (error as Error).message, { cause: error })
    }
  }

  async #entry(path: string): Promise<TreeEntry> {
    const place = join(this.name, path)
    const found = await lstat(place)
    if (found.isDirectory()) {
      return { type: 'folder', path }
    }
    if (found.isSymbolicLink()) {
      const target = await readlink(place)
      requireInside(path, target)
      return { type: 'link', path, target }
    }
    if (!found.isFile()) {
      throw new TreeRefused(`${JSON.stringify(path)} is neither a file, a folder nor a link`)
    }
    const { size, mode } = found
    return {
      type: 'file',
      path,
      size,
      isExecutable: (mode & 0o100) !== 0,
      content: () => bytesOf(place, size),
    }
  }
}

/** As many bytes as it had: a file that grows meanwhile is not read further. */
async function* bytesOf(place: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  if (size === 0) {
    return
  }
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW)
  yield* createReadStream('', { fd: file, start: 0, end: size - 1 })
}
