import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { madeOnce } from './made_once.js'
import { ensurePackages, PACKAGES } from './packages.js'

const run = promisify(execFile)

const SUITE = 'trixie'
const MIRROR = 'http://deb.debian.org/debian'

interface DebianRoot {
  /** Of the folder that it is kept in. */
  readonly name: string
  readonly packages: readonly string[]
  /** Shell commands that finish it; `$1` is where it is. */
  readonly hooks?: readonly string[]
}

/**
 * The root of a newer Debian than the one the tests may run on, with packages and what they depend on. It is made once a
 * machine; resolves to its archive.
 */
export async function debianRoot({ name, packages, hooks = [] }: DebianRoot): Promise<string> {
  await ensurePackages(PACKAGES.mmdebstrap)
  const contents = hash('sha256', [...packages, ...hooks].join('\n')).slice(0, 8)
  const folder = await madeOnce(`${name}-of-${SUITE}-${contents}`, (empty) =>
    run('mmdebstrap', [
      ...['--quiet', '--variant=apt', `--include=${packages.join()}`],
      ...['--aptopt=APT::Install-Recommends "false"', '--aptopt=Acquire::Retries "3"'],
      '--dpkgopt=path-exclude=/usr/share/doc/*',
      ...hooks.map((hook) => `--customize-hook=${hook}`),
      ...[SUITE, archiveIn(empty), MIRROR],
    ])
  )
  return archiveIn(folder)
}

const archiveIn = (folder: string) => join(folder, 'root.tar')
