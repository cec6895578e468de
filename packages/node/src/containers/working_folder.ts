import { readdirSync } from 'node:fs'

/** Each entry is a mount of its own. */
const MAX_ENTRIES = 256
const MAX_BYTES = 64 * 1024 ** 2
/** What is mounted there anyway, or contains such mounts. */
const OTHERS = new Set(['/', '/tmp', '/etc'])

/** A folder of the image that can be written: what the image has in it stays as it is, and beside it there is room. */
export interface WritableFolder {
  readonly path: string
  readonly entries: readonly string[]
  readonly maxBytes: number
}

/**
 * The working folder, to which code writes with relative paths. It can only be read if links or very many files are in
 * it: a mount would follow the links out of the image.
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
