import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { clock } from '#kernel/clock'
import { removeFile } from '#kernel/remove_file'
import { isHeartbeatStale } from '#kernel/file_heartbeat'

/** Where a layout has what is not yet whole. */
export const draftsFolder = (folder: string): string => join(folder, 'drafts')

/** A file of its own for each that writes. */
export const newDraft = (folder: string): string =>
  join(draftsFolder(folder), clock.random(12).toString('hex'))

/** Removes what processes have left that were killed while they wrote; answers how many bytes each had. None where there is no layout. */
export async function removeStaleDrafts(folder: string): Promise<number[]> {
  const names = await readdir(draftsFolder(folder)).catch(() => [])
  const removed: number[] = []
  for (const name of names) {
    const draft = join(draftsFolder(folder), name)
    const stats = await stat(draft).catch(() => undefined)
    if (stats && isHeartbeatStale(stats) && (await removeFile(draft))) {
      removed.push(stats.size)
    }
  }
  return removed
}
