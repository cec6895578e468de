import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

import type { LayerEntry } from '#oci/tar/layer_entries'

/**
 * The files and links of a folder, under a path of the image. Everybody may read them and only root write them,
 * whatever the folder here permits. Files with two names are two files.
 */
export async function folderEntries(
  folder: string,
  at: string,
  keeps: (path: string) => boolean = () => true
): Promise<LayerEntry[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const entries = found
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => ({ entry, path: relative(folder, join(entry.parentPath, entry.name)) }))
    .filter(({ path }) => keeps(path))
  return Promise.all(
    entries.map(({ entry, path }) => {
      const file = join(folder, path)
      const target = at === '' ? path : `${at}/${path}`
      return entry.isFile() ? fileEntry(file, target) : linkEntry(file, target)
    })
  )
}

export async function fileEntry(file: string, path: string): Promise<LayerEntry> {
  const { size, mode } = await stat(file)
  return { path, size, mode: mode & 0o111 ? 0o755 : 0o644, open: () => readFile(file) }
}

const linkEntry = async (file: string, path: string): Promise<LayerEntry> => ({
  path,
  target: await readlink(file),
})

export function textEntry(path: string, text: string): LayerEntry {
  const bytes = Buffer.from(text)
  return { path, size: bytes.length, open: () => bytes }
}
