import { randomInt } from 'node:crypto'

import type { ContainerLimits } from '#node/containers/container_driver'
import { procFile } from '#node/containers/process_tree'

/** Where the root is mounted for accounts that cannot enter the folders above it. */
export const ROOT_MOUNT = '/mnt'

/** Accounts that no system assigns to people, services or containers. */
const FIRST_ACCOUNT = 1_900_000_000
const ACCOUNTS = 100_000_000

/** The kernel ends a container before anything else if the machine runs out of memory. */
const OOM_SCORE = 500
/** Threads of the sidecar and of Bubblewrap itself, which the kernel counts with those of the container. */
export const OWN_PROCESSES = 32
/**
 * What one process may reserve, in relation to the limit of memory: stacks and arenas of threads are reserved and hardly
 * used. It bounds what a container can use until the sum of its memory is next inspected.
 */
const RESERVABLE = 4
const MAX_OPEN_FILES = 1024

const isRoot = (): boolean => process.getuid?.() === 0

/** Makes the network of a container, and runs a command in it: the sidecar, which may listen on port 80. */
export function networkCommand(rootPath: string): string[] {
  return [
    'bwrap',
    ...(isRoot() ? ['--cap-drop', 'ALL'] : ['--unshare-user']),
    ...['--cap-add', 'CAP_NET_BIND_SERVICE', '--unshare-net', '--dev-bind', '/', '/'],
    ...(isRoot() ? ['--ro-bind', rootPath, ROOT_MOUNT] : []),
    '--',
  ]
}

/** Runs a command in the network of a container, with its limits, as an account without rights. */
export function launchCommand(networkPid: number, limits: ContainerLimits): string[] {
  return [
    ...['nsenter', '--target', String(networkPid), '--net', '--mount'],
    ...(isRoot() ? [] : ['--user', '--preserve-credentials']),
    ...['--', ...limitCommand(limits)],
  ]
}

/** For root, each container has an account of its own: the kernel limits no processes of root, and counts by account. */
export function limitCommand(limits: ContainerLimits): string[] {
  const account = String(FIRST_ACCOUNT + randomInt(ACCOUNTS))
  const processes = limits.processes + OWN_PROCESSES
  return [
    ...['choom', '-n', String(OOM_SCORE), '--'],
    ...(isRoot() ? ['setpriv', '--reuid', account, '--regid', account, '--clear-groups'] : []),
    ...['prlimit', `--nproc=${processes}:${processes}`, '--core=0:0', '--memlock=65536:65536'],
    ...[`--nofile=${MAX_OPEN_FILES}:${MAX_OPEN_FILES}`, '--msgqueue=0:0'],
    ...[`--data=${RESERVABLE * limits.memoryBytes}:${RESERVABLE * limits.memoryBytes}`],
    '--',
    ...processorCommand(limits.cpus),
  ]
}

let nextProcessor = 0

/** Without a control group, a container has whole processors. Containers take turns with them. */
function processorCommand(cpus: number): string[] {
  const available = availableProcessors()
  const count = Math.max(1, Math.ceil(cpus))
  if (count >= available.length) {
    return []
  }
  const processors = Array.from(
    { length: count },
    (_, index) => available[(nextProcessor + index) % available.length]
  )
  nextProcessor = (nextProcessor + count) % available.length
  return ['taskset', '--cpu-list', processors.join(',')]
}

/** From a list such as `0-3,8`. */
function availableProcessors(): number[] {
  const [, list = '0'] = /^Cpus_allowed_list:\s*(\S+)/m.exec(procFile('self/status')) ?? []
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}
