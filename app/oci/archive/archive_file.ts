import { posix } from 'node:path'

import { jsonIn } from '#kernel/json_in'

import { wholeBytes } from '#oci/checked_bytes'
import { ImageArchiveInvalid } from '#oci/errors'
import { LARGEST_MANIFEST, type BlobSource } from '#oci/image_store'
import { byteReader } from './byte_readers.js'
import { tarEntries } from './tar_reader.js'

const MOST_LINKS = 10
/** What says what else is in an archive. */
const CONTENTS = ['manifest.json', 'index.json', 'oci-layout']

/** What is done with a file of an archive while it passes. */
export type Visit = (name: string, size: number, bytes: BlobSource) => Promise<void>

/** A tar with images. It is read from its beginning to its end as often as needed, and never unpacked. */
export class ArchiveFile {
  readonly #path: string
  readonly #sizes: ReadonlyMap<string, number>
  readonly #links: ReadonlyMap<string, string>
  readonly #contents: ReadonlyMap<string, Buffer>

  private constructor(
    path: string,
    sizes: ReadonlyMap<string, number>,
    links: ReadonlyMap<string, string>,
    contents: ReadonlyMap<string, Buffer>
  ) {
    this.#path = path
    this.#sizes = sizes
    this.#links = links
    this.#contents = contents
  }

  static async open(path: string, signal?: AbortSignal): Promise<ArchiveFile> {
    const sizes = new Map<string, number>()
    const links = new Map<string, string>()
    const contents = new Map<string, Buffer>()
    const reader = await byteReader(path)
    try {
      for await (const { entry, bytes } of tarEntries(reader)) {
        signal?.throwIfAborted()
        if (entry.kind === 'link') {
          links.set(entry.path, entry.target)
        } else if (entry.kind === 'file') {
          sizes.set(entry.path, entry.size)
          if (CONTENTS.includes(entry.path)) {
            contents.set(entry.path, await wholeBytes(bytes(), LARGEST_MANIFEST))
          }
        }
      }
    } finally {
      await reader.close()
    }
    return new ArchiveFile(path, sizes, links, contents)
  }

  get path(): string {
    return this.#path
  }

  /** A file that says what else is there; undefined where there is none. */
  contents(name: 'manifest.json' | 'index.json' | 'oci-layout'): unknown {
    const bytes = this.#contents.get(name)
    return bytes && jsonIn(bytes.toString())
  }

  /** The file that a name means, where it is a link as well; undefined where there is none. */
  find(name: string): { name: string; size: number } | undefined {
    let at = name
    for (let links = 0; links < MOST_LINKS; links++) {
      const size = this.#sizes.get(at)
      if (size !== undefined) {
        return { name: at, size }
      }
      const target = this.#links.get(at)
      if (target === undefined) {
        return undefined
      }
      const isFromTop = this.#sizes.has(target) || this.#links.has(target)
      at = isFromTop ? target : posix.join(posix.dirname(at), target)
    }
    return undefined
  }

  /** Goes through the archive once, and shows files of these names as they pass. */
  async visit(names: Iterable<string>, visit: Visit, signal?: AbortSignal): Promise<void> {
    const left = new Set(names)
    const reader = await byteReader(this.#path)
    try {
      for await (const { entry, bytes } of tarEntries(reader)) {
        signal?.throwIfAborted()
        if (entry.kind === 'file' && left.delete(entry.path)) {
          await visit(entry.path, entry.size, bytes())
        }
        if (left.size === 0) {
          return
        }
      }
    } finally {
      await reader.close()
    }
    throw new ImageArchiveInvalid(`${this.#path} has no ${[...left].join(', ')}`)
  }

  /** A file that is small because it describes something. */
  async description(name: string): Promise<Buffer> {
    let found = Buffer.alloc(0)
    await this.visit([name], async (_name, _size, bytes) => {
      found = Buffer.from(await wholeBytes(bytes, LARGEST_MANIFEST))
    })
    return found
  }
}
