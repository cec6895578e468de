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

const LONGEST_PATH = 4_096
const LONGEST_NAME = 255
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
      throw new LayerEntryInvalid(`${shown(path)} is there twice, or is a folder of others, too`)
    }
    entries.set(path, { ...file, path, open: () => file.open() })
    addFolders(entries, path)
  }
  return inOrder(entries)
}

function addFolders(entries: Map<string, LayerEntry>, path: string): void {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end)
    const there = entries.get(folder)
    if (there && !('isFolder' in there)) {
      throw new LayerEntryInvalid(`${shown(folder)} is a file, and a folder of others`)
    }
    if (there) {
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
    Buffer.byteLength(path) <= LONGEST_PATH &&
    names.every(isName)
  if (!isUsable) {
    throw new LayerEntryInvalid(`${shown(path)} cannot be the name of a file in a layer`)
  }
}

const isName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  !name.startsWith(WHITEOUT) &&
  Buffer.byteLength(name) <= LONGEST_NAME

const shown = (path: string): string => JSON.stringify(path.slice(0, 300))
