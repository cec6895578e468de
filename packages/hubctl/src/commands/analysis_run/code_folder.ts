import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

import { UsageProblem } from '#hubctl/problem'

export interface CodeFile {
  /** Where it is on this machine. */
  readonly file: string
  /** Its path in the analysis. */
  readonly path: string
}

const STAYS_HERE = /^(README\.md|expected.*|[._].*)$/

/** The files of a folder that belong to the analysis. */
export async function codeIn(folder: string, entrypoint: string): Promise<readonly CodeFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new UsageProblem(`The folder ${folder} cannot be read.`)
  })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, path: relative(folder, file).replaceAll(sep, '/') }))
    .filter(({ path }) => !path.split('/').some((name) => STAYS_HERE.test(name)))
  if (!files.some(({ path }) => path === entrypoint)) {
    throw new UsageProblem(
      `The folder ${folder} has no file ${entrypoint}.`,
      'Name the file that the analysis starts with: --entrypoint <file>'
    )
  }
  return files
}
