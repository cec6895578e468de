import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where programs of the machine are, without those that npm installed for the repository. */
export const systemPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)

/** The Node.js of the machine and not the one that npm installed, as a person has it who just cloned the repository. */
export const systemNode = systemPath
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file))

/** Its version, as far as it matters. */
export const systemMajor =
  systemNode &&
  Number.parseInt(execFileSync(systemNode, ['--version'], { encoding: 'utf8' }).slice(1))
