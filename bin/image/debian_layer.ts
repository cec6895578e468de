import type { LayerEntry } from '#oci/tar/layer_entries'

import type { DebianPackage } from './debian_packages.js'
import { folderEntries, textEntry } from './folder_entries.js'

/** The user of the image if none is chosen. */
export const USER = { name: 'analysis-hub', uid: 65532 }

/** Where the processes write. Also the group of root may, which any user of OpenShift is in. */
export const DATA = '/data'

const ACCOUNTS = {
  'etc/passwd': [
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    `${USER.name}:x:${USER.uid}:${USER.uid}::${DATA}:/usr/sbin/nologin`,
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
  ],
  'etc/group': ['root:x:0:', `${USER.name}:x:${USER.uid}:`, 'nogroup:x:65534:'],
  'etc/nsswitch.conf': ['passwd: files unknown', 'group: files unknown', 'hosts: files dns'],
}

/** Folders of a package that nothing in the image reads. Its licence stays. */
const UNUSED =
  /^(usr\/share\/(man|lintian|bash-completion|zsh|bug|base-files|info|locale|gcc|gdb)\/|usr\/share\/doc\/(?!.*\/copyright$)|usr\/lib\/[^/]+\/gconv\/|usr\/lib\/(sysctl|tmpfiles)\.d\/|etc\/(update-motd\.d|issue|default|skel|profile\.d)|usr\/lib\/[^/]+\/(audit|libnss_compat))/

const PROGRAM = /^usr\/s?bin\//

/** The root of every image. */
export async function debianEntries(packages: readonly DebianPackage[]): Promise<LayerEntry[]> {
  return [
    ...(await packageEntries(packages)),
    ...Object.entries(ACCOUNTS).map(([path, lines]) => textEntry(path, `${lines.join('\n')}\n`)),
    { path: 'tmp', isFolder: true, mode: 0o1777 },
    { path: DATA.slice(1), isFolder: true, mode: 0o775, owner: USER.uid },
    ...['dev', 'proc', 'run', 'sys'].map((path) => ({ path, isFolder: true }) as const),
  ]
}

/** The files of packages, and the entries by which scanners know them. */
export async function packageEntries(packages: readonly DebianPackage[]): Promise<LayerEntry[]> {
  const files = await Promise.all(packages.map(filesOf))
  const status = ({ name, control }: DebianPackage) =>
    textEntry(`var/lib/dpkg/status.d/${name}`, control)
  return [...files.flat(), ...packages.map(status)]
}

const filesOf = ({ folder, programs }: DebianPackage): Promise<LayerEntry[]> =>
  folderEntries(folder, '', (path) => !UNUSED.test(path) && isChosen(path, programs))

/** Of some packages only the programs and the licence are copied. */
function isChosen(path: string, programs: readonly string[] | undefined): boolean {
  if (programs === undefined) {
    return true
  }
  return PROGRAM.test(path)
    ? programs.includes(path.split('/').at(-1)!)
    : path.startsWith('usr/share/doc/')
}
