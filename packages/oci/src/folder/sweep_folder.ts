import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { clock } from '#kernel/clock'
import { removeFile } from '#kernel/remove_file'

import { ImageFolderUnusable, isImageFailure } from '#oci/errors'
import type { Descriptor } from '#oci/image_store'
import { blobPath } from '#oci/layout_paths'
import { parseManifest } from '#oci/manifest'
import { blobsOf } from '#oci/manifests_of'
import { REFERABLE_TYPES } from '#oci/media_types'
import { removeStaleDrafts } from './drafts.js'
import { isInRepository, LayoutIndex, repositoryOf, SUBJECT_ANNOTATION } from './layout_index.js'
import { readManifest } from './read_manifest.js'

/** Blobs written or requested within this time may be about to be referenced. */
const GRACE_PERIOD_MS = 24 * 60 * 60 * 1000

export interface FolderSweepResult {
  readonly removed: number
  readonly removedBytes: number
  readonly keptBytes: number
}

interface FolderSweepOptions {
  readonly gracePeriodMs?: number
  readonly signal?: AbortSignal
}

/**
 * Removes unreferenced blobs, referrers of removed images, and drafts of crashed processes. Safe while images are built
 * and copied.
 */
export async function sweepFolder(
  path: string,
  options: FolderSweepOptions = {}
): Promise<FolderSweepResult> {
  const folder = resolve(path)
  const oldest = clock.now() - (options.gracePeriodMs ?? GRACE_PERIOD_MS)
  const index = new LayoutIndex(folder)
  await index.change(withoutOrphanedReferrers)
  const reachable = new Set<string>()
  for (const entry of await index.entries()) {
    options.signal?.throwIfAborted()
    await collectReachable(folder, entry, reachable)
  }
  const drafts = await removeStaleDrafts(folder)
  const removedBytes = drafts.reduce((sum, bytes) => sum + bytes, 0)
  const swept = { removed: drafts.length, removedBytes, keptBytes: 0 }
  const blobs = join(folder, 'blobs', 'sha256')
  for (const name of await readdir(blobs)) {
    options.signal?.throwIfAborted()
    const file = join(blobs, name)
    const stats = await stat(file).catch(() => undefined)
    if (!stats || reachable.has(file) || stats.mtimeMs >= oldest) {
      swept.keptBytes += stats?.size ?? 0
    } else if (await removeFile(file)) {
      swept.removed++
      swept.removedBytes += stats.size
    }
  }
  return swept
}

/** Removes referrers whose subject is gone from the repository. */
function withoutOrphanedReferrers(entries: readonly Descriptor[]): readonly Descriptor[] {
  const remaining = entries.filter((entry) => {
    const subject = entry.annotations?.[SUBJECT_ANNOTATION]
    const repository = repositoryOf(entry)
    return (
      subject === undefined ||
      repository === undefined ||
      entries.some((one) => one.digest === subject && isInRepository(one, repository))
    )
  })
  return remaining.length < entries.length ? remaining : entries
}

/**
 * Collects the files of a manifest and everything it references. An unreadable manifest stays, but references nothing.
 */
async function collectReachable(
  folder: string,
  manifest: Descriptor,
  reachable: Set<string>
): Promise<void> {
  const file = join(folder, blobPath(manifest.digest))
  if (reachable.has(file)) {
    return
  }
  reachable.add(file)
  if (!REFERABLE_TYPES.includes(manifest.mediaType)) {
    throw new ImageFolderUnusable(
      `${folder} was not swept: ${manifest.digest} has an unsupported media type (${manifest.mediaType})`
    )
  }
  const stored = await readManifest(folder, '', manifest).catch((error: unknown) => {
    if (!isImageFailure(error)) {
      throw error
    }
  })
  if (!stored) {
    return
  }
  blobsOf(stored).forEach(({ digest }) => reachable.add(join(folder, blobPath(digest))))
  const parsed = parseManifest(stored)
  for (const child of parsed.kind === 'index' ? parsed.manifests : []) {
    await collectReachable(folder, child, reachable)
  }
}
