import { readdirSync } from 'node:fs'

/** Each entry is a mount of its own. */
const MAX_ENTRIES = 256
const MAX_BYTES = 64 * 1024 ** 2
/** Paths with other mounts, which cannot be a working folder. */
const OTHERS = new Set(['/', '/tmp', '/etc'])

/** A writable folder of the image: its content stays read-only, and new files can be added. */
export interface WritableFolder {
  readonly path: string
  readonly entries: readonly string[]
  readonly maxBytes: number
}

/**
 * The working folder, for relative paths of code. It is read-only if it contains links or very many files: a mount
 * would follow the links out of the image.
 */
export function writableFolder(
  rootPath: string,
  path: string,
  tmpBytes: number
): WritableFolder | undefined {
  if (OTHERS.has(path)) {
    return undefined
  }
  const entries = readdirSync(rootPath + path, { withFileTypes: true })
  const isMountable = entries.every((entry) => entry.isFile() || entry.isDirectory())
  if (!isMountable || entries.length > MAX_ENTRIES) {
    return undefined
  }
  const names = entries.map(({ name }) => name)
  return { path, entries: names, maxBytes: Math.min(MAX_BYTES, tmpBytes) }
}
