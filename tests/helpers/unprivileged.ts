import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Debian's nobody. */
export const NOBODY = 65_534

const RANGE = `${NOBODY}:100000:65536\n`
const AS_NOBODY = [
  ...['--pdeathsig', 'KILL', '--reuid', String(NOBODY), '--regid', String(NOBODY)],
  ...['--clear-groups', '--'],
]

/** Only the program and what it starts see the file that says which accounts nobody may use within builds. */
const BEGINNING = [
  'file="$0"',
  'mount --bind "$file" /etc/subuid && mount --bind "$file" /etc/subgid',
  `chown -R ${NOBODY}:${NOBODY} .`,
  `exec setpriv ${AS_NOBODY.join(' ')} "$@"`,
].join(' && ')

export const CANNOT_BE_NOBODY =
  'only root can begin a program as somebody else, and only where that one can read this folder'

/** What a program is begun with, so that it has no rights on this machine; the folder it begins in is its own. */
export async function asNobody(folder: string): Promise<string[]> {
  const file = join(folder, 'accounts')
  await writeFile(file, RANGE, { mode: 0o644 })
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', BEGINNING, file]
}

export function canBeNobody(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'setpriv', ...AS_NOBODY, 'ls', ROOT], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
