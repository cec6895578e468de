import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { Apt } from './apt.js'
import type { Architecture } from './architectures.js'

const run = promisify(execFile)

/** A package of Debian in the image. */
interface ChosenPackage {
  readonly name: string
  /** The programs to take; all files if unset. */
  readonly programs?: readonly string[]
  /** Only the image with the embedded database has it. */
  readonly isForDatabase?: boolean
}

export interface DebianPackage extends ChosenPackage {
  readonly version: string
  /** The paragraph that describes it, as dpkg stores it. */
  readonly control: string
  /** The folder with its files. */
  readonly folder: string
}

/**
 * Node.js is linked against libc6, libgcc-s1 and libstdc++6 and brings its own certificates and time zones. The other
 * packages give the root its layout, end orphaned processes, name any user, and start programs of others.
 */
const CHOSEN: readonly ChosenPackage[] = [
  { name: 'base-files' },
  { name: 'libc6' },
  { name: 'libgcc-s1' },
  { name: 'libstdc++6' },
  // The licences of the two above.
  { name: 'gcc-14-base' },
  { name: 'tini', programs: ['tini'] },
  // PostgreSQL requires that its user has a name, and the user of a container may be any number.
  { name: 'libnss-unknown' },
  // The embedded database needs flock and setpriv. A node starts analyses with the others.
  {
    name: 'util-linux',
    programs: ['flock', 'setpriv', 'prlimit', 'unshare', 'nsenter', 'choom', 'taskset'],
  },
  { name: 'libcap-ng0' },
  { name: 'libsmartcols1' },
  { name: 'bubblewrap' },
  { name: 'libcap2' },
  { name: 'libselinux1' },
  { name: 'libpcre2-8-0' },
  // A node tries its isolation, makes sure of an unpacked image, and takes the output of analyses with them.
  { name: 'coreutils', programs: ['true', 'sync', 'mkfifo'] },
  // PostgreSQL creates a database through a shell.
  { name: 'dash', programs: ['dash', 'sh'], isForDatabase: true },
]

/** Downloads the packages with apt, which verifies them, and extracts them. Nothing of them is run. */
export async function fetchDebianPackages(
  folder: string,
  architecture: Architecture,
  mirror?: string
): Promise<DebianPackage[]> {
  const apt = await Apt.update(folder, architecture, mirror)
  await apt.download(CHOSEN.map(({ name }) => name))
  const files = await readdir(folder)
  const archives = files.filter((file) => file.endsWith('.deb'))
  const packages = await Promise.all(archives.map((archive) => extract(folder, archive)))
  return packages.sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function extract(folder: string, archive: string): Promise<DebianPackage> {
  const file = join(folder, archive)
  const { stdout: control } = await run('dpkg-deb', ['--field', file])
  const name = fieldOf(control, 'Package')
  const content = join(folder, name)
  await run('dpkg-deb', ['--extract', file, content])
  const chosen = CHOSEN.find((one) => one.name === name)!
  return { ...chosen, version: fieldOf(control, 'Version'), control, folder: content }
}

/** A field of one line of a control file. */
export function fieldOf(control: string, field: string): string {
  return new RegExp(`^${field}: (.*)$`, 'm').exec(control)?.[1] ?? ''
}
