import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  type Stats,
} from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

import { ImageRejected } from '#node/errors'

const FOLDER_MODE = 0o755
const MAX_LINKS = 40
const MAX_PATH_BYTES = 4_096
/** The maximum depth of folders. Each level of a path costs time for every file, here and in containers. */
const MAX_DEPTH = 255
const MAX_KNOWN_FOLDERS = 10_000

/**
 * The root folder of an image while it is unpacked. Links are resolved as in a container, with the root as the topmost
 * folder, so that no entry of a layer leads out of it. No other process may change the folder meanwhile.
 */
export class RootFolder {
  readonly #path: string
  readonly #onFolder: () => void
  /** A cache of resolved folder names. It is cleared when a folder or a link is removed. */
  readonly #known = new Map<string, string>()

  /** `onFolder` is called before a folder is created, and may refuse it. */
  constructor(path: string, onFolder: () => void = () => {}) {
    this.#path = path
    this.#onFolder = onFolder
  }

  /** Resolves a name to a path within the root: follows links in its folders, and creates missing folders. */
  locate(name: string): string {
    const parts = partsOf(name)
    const last = parts.pop()
    return last === undefined ? '' : join(this.#folderOf(parts), last)
  }

  makeFolder(path: string): void {
    if (!this.#stats(path)?.isDirectory()) {
      this.remove(path)
      this.#onFolder()
      mkdirSync(this.#real(path), { mode: FOLDER_MODE })
    }
    // Ignores the umask.
    chmodSync(this.#real(path), FOLDER_MODE)
  }

  /** Readable by all, since the account in the container is not the owner. Setuid and similar bits are dropped. */
  async createFile(path: string, mode: number): Promise<FileHandle> {
    this.remove(path)
    const file = await open(this.#real(path), 'wx')
    await file.chmod(0o444 | (mode & 0o755))
    return file
  }

  makeLink(path: string, target: string): void {
    this.remove(path)
    symlinkSync(target, this.#real(path))
  }

  /** Adds a hard link to an existing file. */
  makeHardLink(path: string, target: string): void {
    const existing = this.locate(target)
    const stats = this.#stats(existing)
    if (!stats || stats.isDirectory()) {
      throw new ImageRejected(
        `A layer links ${quote(path)} to ${quote(target)}, which is not a file`
      )
    }
    if (existing !== path) {
      this.remove(path)
      linkSync(this.#real(existing), this.#real(path))
    }
  }

  remove(path: string): void {
    if (path === '') {
      throw new ImageRejected('A layer replaces the root folder')
    }
    const stats = this.#stats(path)
    if (stats?.isFile()) {
      rmSync(this.#real(path))
    } else if (stats) {
      this.#known.clear()
      rmSync(this.#real(path), { recursive: true })
    }
  }

  /** The names in a folder; empty for anything else. */
  names(path: string): string[] {
    return this.isFolder(path) ? readdirSync(this.#real(path)) : []
  }

  isFolder(path: string): boolean {
    return this.#stats(path)?.isDirectory() ?? false
  }

  isFile(path: string): boolean {
    return this.#stats(path)?.isFile() ?? false
  }

  #folderOf(parts: readonly string[]): string {
    const name = parts.join('/')
    const known = this.#known.get(name)
    if (known !== undefined) {
      return known
    }
    const resolved = this.#resolveFolder(parts)
    if (this.#known.size >= MAX_KNOWN_FOLDERS) {
      this.#known.clear()
    }
    this.#known.set(name, resolved)
    return resolved
  }

  #resolveFolder(parts: readonly string[]): string {
    const pending = [...parts].reverse()
    const resolved: string[] = []
    let links = 0
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      if (part === '..') {
        resolved.pop()
        continue
      }
      const path = join(...resolved, part)
      if (this.#stats(path)?.isSymbolicLink()) {
        if (++links > MAX_LINKS) {
          throw new ImageRejected(`A layer has too many links in ${quote(parts.join('/'))}`)
        }
        const target = readlinkSync(this.#real(path))
        resolved.splice(0, target.startsWith('/') ? resolved.length : 0)
        pending.push(...target.split('/').filter(isPart).reverse())
      } else {
        requireDepth(resolved.length)
        this.#requireFolder(path)
        resolved.push(part)
      }
    }
    return resolved.join('/')
  }

  #requireFolder(path: string): void {
    if (!this.isFolder(path)) {
      this.makeFolder(path)
    }
  }

  #stats(path: string): Stats | undefined {
    return lstatSync(this.#real(path), { throwIfNoEntry: false })
  }

  #real(path: string): string {
    return join(this.#path, path)
  }
}

/** Checks a name in a layer. Only the target of a link may lead upwards. */
function partsOf(name: string): string[] {
  const parts = name.split('/').filter(isPart)
  if (parts.includes('..') || name.includes('\0') || Buffer.byteLength(name) > MAX_PATH_BYTES) {
    throw new ImageRejected(`A layer has an entry with an unsafe name: ${quote(name)}`)
  }
  requireDepth(parts.length)
  return parts
}

function requireDepth(depth: number): void {
  if (depth > MAX_DEPTH) {
    throw new ImageRejected(`A layer has folders that are nested deeper than ${MAX_DEPTH}`)
  }
}

const isPart = (part: string): boolean => part !== '' && part !== '.'

const quote = (name: string): string => JSON.stringify(name.slice(0, 300))
