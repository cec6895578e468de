import { existsSync, readFileSync } from 'node:fs'

const manifest = new URL('../../../package.json', import.meta.url)
const commitFile = new URL('../../../commit', import.meta.url)

/** The version of the platform, from its package.json. */
export const VERSION = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version

/** The commit that the program was built from; undefined for sources, and for a build outside of git. */
export const COMMIT = existsSync(commitFile)
  ? readFileSync(commitFile, 'utf8') || undefined
  : undefined
