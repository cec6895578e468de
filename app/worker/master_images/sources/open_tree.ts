import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'

import { FolderTree } from '#worker/master_images/trees/folder_tree'
import { TarballTree } from '#worker/master_images/trees/tarball_tree'
import type { Tree } from '#worker/master_images/trees/tree'
import { SourceUnreadable } from '#worker/master_images/trees/tree_refused'

/** Which repository, and which state of it. */
export interface Repository {
  readonly owner: string
  readonly repository: string
  readonly branch: string
}

export interface RepositoryAddress {
  /** An address or a folder with `{owner}`, `{repository}` and `{branch}` in it, as far as they matter. */
  readonly template: string
  readonly token?: string | undefined
}

/** The files of a repository: of an archive that is fetched, or of a folder or an archive on this machine. */
export async function openTree(
  { template, token }: RepositoryAddress,
  repository: Repository
): Promise<Tree> {
  if (/^https?:/i.test(template)) {
    const url = filled(template, repository, (word) =>
      word.split('/').map(encodeURIComponent).join('/')
    )
    return TarballTree.at(url, token)
  }
  const place = placeOnDisk(filled(template, repository, (word) => word))
  try {
    const found = await stat(place)
    return found.isFile() ? TarballTree.in(place) : new FolderTree(place)
  } catch (error) {
    throw new SourceUnreadable(place, (error as Error).message, { cause: error })
  }
}

/** Only words that cannot lead elsewhere are put into an address. */
function filled(
  template: string,
  repository: Repository,
  written: (word: string) => string
): string {
  return template.replaceAll(/\{(owner|repository|branch)\}/g, (_all, key: keyof Repository) => {
    const word = repository[key]
    if (!/^[\w./-]+$/.test(word) || word.split('/').some((part) => /^\.{0,2}$/.test(part))) {
      throw new SourceUnreadable('The repository of images', `its ${key} cannot be a name`)
    }
    return written(word)
  })
}

function placeOnDisk(template: string): string {
  if (template.startsWith('file:')) {
    return fileURLToPath(template)
  }
  if (!isAbsolute(template) && !template.startsWith('.')) {
    throw new SourceUnreadable(template, 'it is neither an address nor a folder')
  }
  return template
}
