import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { FolderTree } from '#worker/master_images/trees/folder_tree'

/** Text, or what is written as JSON. */
export type Files = Readonly<Record<string, string | object>>

export function textOf(content: string | object): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** Files in a folder on disk, as a source of images. */
export async function fileTree(folder: string, files: Files): Promise<FolderTree> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), textOf(content))
  }
  return new FolderTree(folder)
}
