import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

import { UsageProblem } from '#hubctl/problem'

export interface CodeFile {
  /** Where it is on this machine. */
  readonly file: string
  /** Its path in the analysis. */
  readonly path: string
}

export interface CodeFolder {
  readonly code: readonly CodeFile[]
  /** Paths of files that are not part of the analysis. */
  readonly staying: readonly string[]
}

/** What describes the folder itself. */
const OWN = new Set(['README.md', 'expected.json'])

/** The files of a folder, divided into those that belong to the analysis and those that stay on this machine. */
export async function codeIn(folder: string, entrypoint: string): Promise<CodeFolder> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new UsageProblem(`The folder ${folder} cannot be read.`)
  })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, path: relative(folder, file).replaceAll(sep, '/') }))
  const [code, staying] = [false, true].map((stays) =>
    files.filter(({ path }) => staysHere(path) === stays)
  ) as [CodeFile[], CodeFile[]]
  if (!code.some(({ path }) => path === entrypoint)) {
    throw new UsageProblem(
      `The folder ${folder} has no file ${entrypoint}.`,
      'Name the file that the analysis starts with: --entrypoint <file>'
    )
  }
  return { code, staying: staying.map(({ path }) => path) }
}

const staysHere = (path: string): boolean =>
  OWN.has(path) || path.split('/').some((name) => name.startsWith('.') || name === '__pycache__')
