import { readFileSync } from 'node:fs'

const manifest = new URL('../../package.json', import.meta.url)

/** The version of the platform, as its package says. */
export const VERSION = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
