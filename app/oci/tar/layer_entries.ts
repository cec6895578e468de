import { LayerEntryInvalid } from '#oci/errors'
import type { BlobSource } from '#oci/image_store'

/** A file that is to be in a layer. */
export interface LayerFile {
  /** Relative to the root of the layer, with slashes. */
  readonly path: string
  readonly size: number
  readonly mode?: number
  /** Called when its turn comes; once more, where the layer has to be sent again. Answers with all of it where that is there already. */
  open(): BlobSource | Uint8Array | Promise<BlobSource | Uint8Array>
}

export interface LayerFolder {
  readonly path: string
  readonly isFolder: true
}

export type LayerEntry = LayerFile | LayerFolder

const MAX_PATH_BYTES = 4_096
const MAX_NAME_BYTES = 255
const WHITEOUT = '.wh.'

/**
 * Files in the one order that a layer has them in, each after the folders that it is in: the same files are the same layer,
 * however they were listed. Names that mean something else in a layer, or another place, are refused.
 */
export function layerEntries(files: readonly LayerFile[], root = ''): LayerEntry[] {
  const prefix = root === '' ? '' : `${root.replace(/^\/+|\/+$/g, '')}/`
  const entries = new Map<string, LayerEntry>()
  for (const file of files) {
    const path = `${prefix}${file.path}`
    requireUsable(path)
    if (entries.has(path)) {
      throw new LayerEntryInvalid(`${quote(path)} is there twice, or is a folder of others, too`)
    }
    entries.set(path, { ...file, path, open: () => file.open() })
    addFolders(entries, path)
  }
  return inOrder(entries)
}

function addFolders(entries: Map<string, LayerEntry>, path: string): void {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end)
    const existing = entries.get(folder)
    if (existing && !('isFolder' in existing)) {
      throw new LayerEntryInvalid(`${quote(folder)} is a file, and a folder of others`)
    }
    if (existing) {
      return
    }
    entries.set(folder, { path: folder, isFolder: true })
  }
}

/** By their bytes, as every program sorts them, whatever language it speaks. */
function inOrder(entries: ReadonlyMap<string, LayerEntry>): LayerEntry[] {
  return [...entries.values()]
    .map((entry) => ({ entry, bytes: Buffer.from(entry.path) }))
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
    .map(({ entry }) => entry)
}

/** A name that begins with `.wh.` takes a file of the layers below away instead of being one. */
function requireUsable(path: string): void {
  const names = path.split('/')
  const isUsable =
    path.isWellFormed() &&
    !path.includes('\0') &&
    Buffer.byteLength(path) <= MAX_PATH_BYTES &&
    names.every(isName)
  if (!isUsable) {
    throw new LayerEntryInvalid(`${quote(path)} cannot be the name of a file in a layer`)
  }
}

const isName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  !name.startsWith(WHITEOUT) &&
  Buffer.byteLength(name) <= MAX_NAME_BYTES

const quote = (path: string): string => JSON.stringify(path.slice(0, 300))
