import { basename, join } from 'node:path'

import { EXIT } from '#hubctl/exit_codes'
import { hasControlCharacters, printable } from '#hubctl/output/printable'
import { Problem } from '#hubctl/problem'

/** Where a file of a bucket is written below a local folder. Rejects paths that leave it, or that a terminal obeys. */
export function localPath(folder: string, path: string): string {
  const parts = path.split(/[/\\]/)
  if (parts.includes('..')) {
    throw new Problem(EXIT.failed, `The path ${printable(path)} is outside the target folder.`)
  }
  if (hasControlCharacters(path) || /[\n\t]/.test(path)) {
    throw new Problem(
      EXIT.failed,
      `The name of ${printable(path)} contains control characters, so it is not written.`,
      ['Read it alone, under a name of your own: hubctl bucket cat']
    )
  }
  return join(folder, path)
}

/** The part of a path that is below a folder of the bucket. */
export function pathBelow(path: string, folder: string): string {
  return path === folder ? basename(path) : path.slice(folder.length).replace(/^\/+/, '')
}
