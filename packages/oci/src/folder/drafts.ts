import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { clock } from '#kernel/clock'
import { removeFile } from '#kernel/remove_file'
import { isHeartbeatStale } from '#kernel/file_heartbeat'

/** The folder of incomplete files in a layout. */
export const draftsFolder = (folder: string): string => join(folder, 'drafts')

/** A unique path for a file that is being written. */
export const newDraft = (folder: string): string =>
  join(draftsFolder(folder), clock.random(12).toString('hex'))

/** Removes drafts of processes that crashed. Returns the size of each; empty if there is no layout. */
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
