import { join } from 'node:path'

import { clock } from '#kernel/clock'

/** Where a layout has what is not yet whole. */
export const draftsOf = (folder: string): string => join(folder, 'drafts')

/** A file of its own for each that writes. */
export const newDraft = (folder: string): string =>
  join(draftsOf(folder), clock.random(12).toString('hex'))
