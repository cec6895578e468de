import { CONTAINER_ACCOUNT } from '#node/containers/container_driver'
import { EMPTY_FOLDERS, HIDDEN_FILES, READ_ONLY_FOLDERS } from '#node/containers/masked_paths'
import type { ResolvedSpec } from '#node/containers/resolve_spec'
import type { WritableFolder } from '#node/containers/working_folder'

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom']
const LINKS = {
  '/dev/fd': '/proc/self/fd',
  '/dev/stdin': '/proc/self/fd/0',
  '/dev/stdout': '/proc/self/fd/1',
  '/dev/stderr': '/proc/self/fd/2',
}
const DEVICE_FOLDER_BYTES = 64 * 1024
const EMPTY_FOLDER_BYTES = 4096

/** Descriptors of the started program. Bubblewrap reads the first four to their end. */
export const DESCRIPTORS = { options: 3, filter: 4, hosts: 5, resolver: 6, status: 7 }

/** The options of a container. They go through a pipe, because arguments of processes are public. */
export function bubblewrapOptions(spec: ResolvedSpec, rootPath: string): string[] {
  return [
    ...namespaceOptions(spec.name),
    ...['--clearenv', ...Object.entries(spec.variables).flatMap(([k, v]) => ['--setenv', k, v])],
    ...['--ro-bind', rootPath, '/'],
    ...(spec.writable ? writableOptions(spec.writable, rootPath) : []),
    ...procOptions(),
    ...deviceOptions(spec.limits.tmpBytes),
    ...['--perms', '1777', '--size', String(spec.limits.tmpBytes), '--tmpfs', '/tmp'],
    ...['--perms', '0444', '--ro-bind-data', String(DESCRIPTORS.hosts), '/etc/hosts'],
    ...['--perms', '0444', '--ro-bind-data', String(DESCRIPTORS.resolver), '/etc/resolv.conf'],
    ...['--chdir', spec.workingFolder],
  ]
}

/** The network namespace is that of the sidecar, in which the container is started. */
export function namespaceOptions(hostName: string): string[] {
  return [
    ...['--unshare-user', '--uid', String(CONTAINER_ACCOUNT), '--gid', String(CONTAINER_ACCOUNT)],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--hostname', hostName],
    ...['--cap-drop', 'ALL', '--new-session', '--die-with-parent'],
  ]
}

function writableOptions({ path, entries, maxBytes }: WritableFolder, rootPath: string): string[] {
  return [
    ...['--perms', '1777', '--size', String(maxBytes), '--tmpfs', path],
    ...entries.flatMap((name) => ['--ro-bind', `${rootPath}${path}/${name}`, `${path}/${name}`]),
  ]
}

function procOptions(): string[] {
  return [
    ...['--proc', '/proc'],
    ...HIDDEN_FILES.flatMap((path) => ['--ro-bind-try', '/dev/null', path]),
    ...EMPTY_FOLDERS.flatMap((path) => [
      ...['--perms', '0555', '--size', String(EMPTY_FOLDER_BYTES), '--tmpfs', path],
      ...['--remount-ro', path],
    ]),
    ...READ_ONLY_FOLDERS.flatMap((path) => ['--ro-bind-try', path, path]),
    // Read-only also for processes of the same account, which could otherwise lower their priority for the OOM killer.
    ...['--remount-ro', '/proc'],
  ]
}

function deviceOptions(sharedMemoryBytes: number): string[] {
  return [
    ...['--perms', '0755', '--size', String(DEVICE_FOLDER_BYTES), '--tmpfs', '/dev'],
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    ...Object.entries(LINKS).flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--perms', '1777', '--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm'],
    ...['--remount-ro', '/dev'],
  ]
}
