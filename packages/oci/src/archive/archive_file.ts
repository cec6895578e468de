import { posix } from 'node:path'

import { tryParseJson } from '#kernel/try_parse_json'

import { readAll } from '#oci/verified_bytes'
import { ImageArchiveInvalid } from '#oci/errors'
import { MAX_MANIFEST_BYTES, type BlobSource } from '#oci/image_store'
import { byteReader } from './byte_readers.js'
import { tarEntries } from './tar_reader.js'

const MAX_LINKS = 10
const INDEX_FILES = ['manifest.json', 'index.json', 'oci-layout']

/** Called with each matching file while the archive is read. */
export type FileVisitor = (name: string, size: number, bytes: BlobSource) => Promise<void>

/** A tar archive with images. It is streamed as often as needed and never unpacked. */
export class ArchiveFile {
  readonly #path: string
  readonly #sizes: ReadonlyMap<string, number>
  readonly #links: ReadonlyMap<string, string>
  readonly #indexFiles: ReadonlyMap<string, Buffer>

  private constructor(
    path: string,
    sizes: ReadonlyMap<string, number>,
    links: ReadonlyMap<string, string>,
    indexFile: ReadonlyMap<string, Buffer>
  ) {
    this.#path = path
    this.#sizes = sizes
    this.#links = links
    this.#indexFiles = indexFile
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
          if (INDEX_FILES.includes(entry.path)) {
            contents.set(entry.path, await readAll(bytes(), MAX_MANIFEST_BYTES))
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

  /** The parsed content of an index file, or undefined if the archive has none. */
  indexFile(name: 'manifest.json' | 'index.json' | 'oci-layout'): unknown {
    const bytes = this.#indexFiles.get(name)
    return bytes && tryParseJson(bytes.toString())
  }

  /** Resolves a file name, following links inside the archive. */
  find(name: string): { name: string; size: number } | undefined {
    let at = name
    for (let links = 0; links < MAX_LINKS; links++) {
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

  /** Streams the archive once and calls `visit` for each of the named files. */
  async visit(names: Iterable<string>, visit: FileVisitor, signal?: AbortSignal): Promise<void> {
    const remaining = new Set(names)
    const reader = await byteReader(this.#path)
    try {
      for await (const { entry, bytes } of tarEntries(reader)) {
        signal?.throwIfAborted()
        if (entry.kind === 'file' && remaining.delete(entry.path)) {
          await visit(entry.path, entry.size, bytes())
        }
        if (remaining.size === 0) {
          return
        }
      }
    } finally {
      await reader.close()
    }
    throw new ImageArchiveInvalid(`${this.#path} has no ${[...remaining].join(', ')}`)
  }

  /** Reads a manifest, config or index in full. */
  async readMetadata(name: string): Promise<Buffer> {
    let found = Buffer.alloc(0)
    await this.visit([name], async (_name, _size, bytes) => {
      found = Buffer.from(await readAll(bytes, MAX_MANIFEST_BYTES))
    })
    return found
  }
}
