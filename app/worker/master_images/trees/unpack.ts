import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { Tree, TreeEntry } from './tree.js'
import { SourceRejected } from './source_errors.js'

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

interface UnpackTarget {
  /** The folder within the tree. */
  readonly path: string
  /** An existing, empty folder. */
  readonly into: string
  readonly signal: AbortSignal
}

export interface UnpackedFiles {
  /** SHA-256 of each file in hex; for links, of their target. */
  readonly files: ReadonlyMap<string, string>
  readonly commit: string | undefined
}

/** Unpacks a folder of a tree. Creates links last, so that nothing is written through one, and rejects duplicates. */
export async function unpack(
  tree: Tree,
  { path, into, signal }: UnpackTarget
): Promise<UnpackedFiles> {
  const links: { readonly at: string; readonly target: string }[] = []
  const files = new Map<string, string>()
  let commit: string | undefined
  for await (const entry of tree.entries(signal, (value) => (commit = value))) {
    const within = pathWithin(entry.path, path)
    if (within === undefined) {
      continue
    }
    const at = join(into, within)
    await rejectDuplicates(entry, () => mkdir(dirname(at), { recursive: true }))
    if (entry.type === 'folder') {
      await rejectDuplicates(entry, () => mkdir(at, { recursive: true }))
    } else if (entry.type === 'link') {
      requireLinkWithin(entry, within)
      links.push({ at, target: entry.target })
      files.set(within, createHash('sha256').update(entry.target).digest('hex'))
    } else {
      files.set(within, await rejectDuplicates(entry, () => write(at, entry)))
    }
  }
  for (const { at, target } of links) {
    await rejectDuplicates({ path: at }, () => symlink(target, at))
  }
  return { files, commit }
}

function pathWithin(path: string, folder: string): string | undefined {
  const start = folder === '' ? '' : `${folder}/`
  return path.startsWith(start) ? path.slice(start.length) : undefined
}

/** Other folders of the tree are not part of the build context. */
function requireLinkWithin({ path, target }: TreeEntry & { type: 'link' }, within: string): void {
  const ups = target.split('/').filter((step) => step === '..').length
  if (ups > within.split('/').length - 1) {
    throw new SourceRejected(
      `the link ${JSON.stringify(path)} leads out of the folder of its image`
    )
  }
}

async function write(at: string, entry: TreeEntry & { type: 'file' }): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(at, NEW, entry.isExecutable ? 0o755 : 0o644)
  try {
    for await (const chunk of entry.content()) {
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    return hash.digest('hex')
  } finally {
    await file.close()
  }
}

async function rejectDuplicates<T>(
  entry: Pick<TreeEntry, 'path'>,
  action: () => Promise<T>
): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ELOOP') {
      throw new SourceRejected(`${JSON.stringify(entry.path)} is listed twice`)
    }
    throw error
  }
}
