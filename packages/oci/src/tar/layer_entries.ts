import { LayerEntryInvalid } from '#oci/errors'
import type { BlobSource } from '#oci/image_store'

export interface LayerFile {
  /** Relative to the layer root, with slashes. */
  readonly path: string
  readonly size: number
  readonly mode?: number
  /** Called in order, and again if the layer must be resent. May return all bytes at once. */
  open(): BlobSource | Uint8Array | Promise<BlobSource | Uint8Array>
}

interface LayerFolder {
  readonly path: string
  readonly isFolder: true
  readonly mode?: number
  /** The user that owns it; root by default. */
  readonly owner?: number
}

interface LayerLink {
  readonly path: string
  /** Where it leads to, as the link states it. */
  readonly target: string
}

export type LayerEntry = LayerFile | LayerFolder | LayerLink

const MAX_PATH_BYTES = 4_096
const MAX_NAME_BYTES = 255
const WHITEOUT = '.wh.'

/**
 * Sorts files and inserts their parent folders, so that the same files give the same layer. Rejects unsafe paths and
 * whiteouts.
 */
export function layerEntries(files: readonly LayerEntry[], root = ''): LayerEntry[] {
  const prefix = root === '' ? '' : `${root.replace(/^\/+|\/+$/g, '')}/`
  const entries = new Map<string, LayerEntry>()
  for (const file of files) {
    const path = `${prefix}${file.path}`
    requireUsable(path)
    const existing = entries.get(path)
    if (existing && !('isFolder' in existing && 'isFolder' in file)) {
      throw new LayerEntryInvalid(`${quote(path)} exists twice, or is a folder of other files`)
    }
    entries.set(
      path,
      'open' in file ? { ...file, path, open: () => file.open() } : { ...file, path }
    )
    addFolders(entries, path)
  }
  return inOrder(entries)
}

function addFolders(entries: Map<string, LayerEntry>, path: string): void {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end)
    const existing = entries.get(folder)
    if (existing && !('isFolder' in existing)) {
      throw new LayerEntryInvalid(`${quote(folder)} is both a file and a folder of other files`)
    }
    if (existing) {
      return
    }
    entries.set(folder, { path: folder, isFolder: true })
  }
}

/** Compares bytes, independent of the locale. */
function inOrder(entries: ReadonlyMap<string, LayerEntry>): LayerEntry[] {
  return [...entries.values()]
    .map((entry) => ({ entry, bytes: Buffer.from(entry.path) }))
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
    .map(({ entry }) => entry)
}

/** A name with the prefix `.wh.` would delete a file of a lower layer. */
function requireUsable(path: string): void {
  const names = path.split('/')
  const isUsable =
    path.isWellFormed() &&
    !path.includes('\0') &&
    Buffer.byteLength(path) <= MAX_PATH_BYTES &&
    names.every(isName)
  if (!isUsable) {
    throw new LayerEntryInvalid(`${quote(path)} is not a valid path in a layer`)
  }
}

const isName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  !name.startsWith(WHITEOUT) &&
  Buffer.byteLength(name) <= MAX_NAME_BYTES

const quote = (path: string): string => JSON.stringify(path.slice(0, 300))
