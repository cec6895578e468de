import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'

import { FolderTree } from '#worker/master_images/trees/folder_tree'
import { TarballTree } from '#worker/master_images/trees/tarball_tree'
import type { Tree } from '#worker/master_images/trees/tree'
import { SourceUnreadable } from '#worker/master_images/trees/source_errors'

export interface Repository {
  readonly owner: string
  readonly repository: string
  readonly branch: string
}

export interface RepositoryAddress {
  /** A URL or folder, optionally with `{owner}`, `{repository}` and `{branch}`. */
  readonly template: string
  readonly token?: string | undefined
}

/** Opens the files of a repository: a remote archive, or a local folder or archive. */
export async function openTree(
  { template, token }: RepositoryAddress,
  repository: Repository
): Promise<Tree> {
  if (/^https?:/i.test(template)) {
    const url = fillTemplate(template, repository, (value) =>
      value.split('/').map(encodeURIComponent).join('/')
    )
    return TarballTree.at(url, token)
  }
  const path = localPath(fillTemplate(template, repository, (value) => value))
  try {
    const stats = await stat(path)
    return stats.isFile() ? TarballTree.in(path) : new FolderTree(path)
  } catch (error) {
    throw new SourceUnreadable(path, (error as Error).message, { cause: error })
  }
}

/** Inserts only values that cannot change the rest of the address. */
function fillTemplate(
  template: string,
  repository: Repository,
  encode: (value: string) => string
): string {
  return template.replaceAll(/\{(owner|repository|branch)\}/g, (_all, key: keyof Repository) => {
    const value = repository[key]
    if (!/^[\w./-]+$/.test(value) || value.split('/').some((part) => /^\.{0,2}$/.test(part))) {
      throw new SourceUnreadable('The repository of images', `its ${key} is not a valid name`)
    }
    return encode(value)
  })
}

function localPath(template: string): string {
  if (template.startsWith('file:')) {
    return fileURLToPath(template)
  }
  if (!isAbsolute(template) && !template.startsWith('.')) {
    throw new SourceUnreadable(template, 'it is neither a URL nor a folder')
  }
  return template
}
