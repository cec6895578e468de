import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

import { isAlive, procFile } from '#tests/services/servers/process_table'

const NAMESPACES = ['net', 'pid', 'mnt', 'ipc', 'uts', 'user', 'cgroup']

/** What a container is made of: its processes and those around it, and their namespaces. */
export interface Traces {
  readonly pids: readonly number[]
  readonly namespaces: ReadonlySet<string>
}

/** The processes that have a text in their arguments or environment, and all that share a new namespace with one. */
export function tracesOf(mark: string): Traces {
  const own = namespacesOf('self')
  const marked = processes().filter(
    (pid) =>
      pid !== process.pid && `${procFile(pid, 'cmdline')}${procFile(pid, 'environ')}`.includes(mark)
  )
  const namespaces = new Set(marked.flatMap(namespacesOf).filter((one) => !own.includes(one)))
  return { pids: marked, namespaces }
}

/** The control groups with the text in their names. */
export const controlGroups = (mark: string): string[] =>
  execFileSync('find', ['/sys/fs/cgroup', '-type', 'd', '-name', `*${mark}*`], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)

/** Processes that are in one of the namespaces, and mounts and control groups with the text in their names. */
export function remainsOf(mark: string, { pids, namespaces }: Traces): string[] {
  const living = processes().filter(
    (pid) =>
      isAlive(pid) &&
      (namespacesOf(pid).some((one) => namespaces.has(one)) ||
        (pids.includes(pid) && procFile(pid, 'cmdline').includes(mark)))
  )
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(mark))
  return [
    ...living.map((pid) => `process ${pid} ${procFile(pid, 'cmdline')}`),
    ...mounts,
    ...controlGroups(mark),
  ]
}

function namespacesOf(pid: number | string): string[] {
  return NAMESPACES.flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/ns/${name}`)]
    } catch {
      return []
    }
  })
}

function processes(): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
}
