import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'

import { ContainerStartFailed } from '#node/errors'

const MAX_LINKS = 40
/** Mount points in containers, whose content is not from the image. */
const MOUNTED = new Set(['proc', 'sys', 'dev'])
const EXECUTABLE = 0o111

/**
 * Resolves paths that an image states, within its root only. The program that starts a container still has open
 * descriptors of the machine, which links of `/proc` could reach; so paths are resolved here, without following such
 * links.
 */
export class ImagePaths {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** A folder without any link in its path. */
  folder(path: string): string {
    const { resolved, stats } = this.#resolve(path)
    if (!stats?.isDirectory()) {
      throw new ContainerStartFailed(`The image has no folder ${quoted(path)}`)
    }
    if (resolved.startsWith('/tmp/')) {
      throw new ContainerStartFailed(
        `The image states the folder ${quoted(path)}, but /tmp is empty in a container: choose a folder outside of it`
      )
    }
    return resolved
  }

  /**
   * The path of a program, with links in its folder resolved. Its own name stays, since programs such as busybox depend
   * on it. What that leads to was verified, and cannot change.
   */
  program(name: string, workingFolder: string, searchPath: string): string {
    const candidates = name.includes('/')
      ? [name.startsWith('/') ? name : `${workingFolder}/${name}`]
      : searchPath
          .split(':')
          .flatMap((folder) => (folder.startsWith('/') ? [join(folder, name)] : []))
    for (const path of candidates) {
      const { stats } = this.#resolve(path)
      if (stats?.isFile() && (stats.mode & EXECUTABLE) !== 0) {
        const slash = path.lastIndexOf('/')
        return join(this.folder(path.slice(0, slash) || '/'), path.slice(slash + 1))
      }
    }
    throw new ContainerStartFailed(`The image has no program ${quoted(name)}`)
  }

  /** The root is the topmost folder. The result is the path of the target; `stats` is missing if it does not exist. */
  #resolve(path: string): { readonly resolved: string; readonly stats: Stats | undefined } {
    const pending = partsOf(path).reverse()
    const resolved: string[] = []
    let stats: Stats | undefined = this.#stats([])
    let links = 0
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      if (part === '..') {
        resolved.pop()
        continue
      }
      stats = this.#stats([...resolved, part])
      if (stats?.isSymbolicLink()) {
        if (++links > MAX_LINKS) {
          throw new ContainerStartFailed(`The image has too many links in ${quoted(path)}`)
        }
        const target = readlinkSync(this.#at([...resolved, part]))
        resolved.splice(0, target.startsWith('/') ? resolved.length : 0)
        pending.push(...partsOf(target).reverse())
        stats = this.#stats(resolved)
        continue
      }
      resolved.push(part)
      this.#requireOwn(resolved[0]!, path)
      if (!stats || (pending.length > 0 && !stats.isDirectory())) {
        return { resolved: `/${resolved.join('/')}`, stats: undefined }
      }
    }
    return { resolved: `/${resolved.join('/')}`, stats: this.#stats(resolved) }
  }

  #requireOwn(first: string, path: string): void {
    if (MOUNTED.has(first)) {
      throw new ContainerStartFailed(
        `The image states ${quoted(path)}, which leads into /${first}: its folders and programs have to be its own`
      )
    }
  }

  #stats(parts: readonly string[]): Stats | undefined {
    try {
      return lstatSync(this.#at(parts))
    } catch {
      return undefined
    }
  }

  #at(parts: readonly string[]): string {
    return join(this.#root, ...parts)
  }
}

const partsOf = (path: string): string[] =>
  path.split('/').filter((part) => part !== '' && part !== '.')

const quoted = (path: string): string => JSON.stringify(path.slice(0, 300))
