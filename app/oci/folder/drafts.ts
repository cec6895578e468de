import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { clock } from '#kernel/clock'
import { removeFile } from '#kernel/remove_file'
import { isLeftBehind } from '#kernel/tended_file'

/** Where a layout has what is not yet whole. */
export const draftsOf = (folder: string): string => join(folder, 'drafts')

/** A file of its own for each that writes. */
export const newDraft = (folder: string): string =>
  join(draftsOf(folder), clock.random(12).toString('hex'))

/** Removes what processes have left that were killed while they wrote; answers how many bytes each had. None where there is no layout. */
export async function removeLeftDrafts(folder: string): Promise<number[]> {
  const names = await readdir(draftsOf(folder)).catch(() => [])
  const removed: number[] = []
  for (const name of names) {
    const draft = join(draftsOf(folder), name)
    const found = await stat(draft).catch(() => undefined)
    if (found && isLeftBehind(found) && (await removeFile(draft))) {
      removed.push(found.size)
    }
  }
  return removed
}
