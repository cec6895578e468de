import { existsSync, readFileSync } from 'node:fs'

import type { ContainerLimits, EndReport } from '#node/containers/container_driver'

export const GROUPS_PATH = '/sys/fs/cgroup'

/**
 * The share of its memory that a container may fill with what the kernel cannot take back. Beyond it, its programs are
 * read from the disk again and again, and it may take minutes until the kernel ends one of them.
 */
const FILLED = 0.98

/** Where the files of a control group are: with one hierarchy for all controllers, in one folder. */
export interface GroupFolders {
  readonly memory: string
  readonly pids: string
  /** Undefined where processors cannot be limited. */
  readonly cpu?: string | undefined
}

/** Whether there is one hierarchy for all controllers (version 2), or one for each (version 1). */
export const isUnified = (): boolean => existsSync(`${GROUPS_PATH}/cgroup.controllers`)

/** The folders of a group below the root of all. */
export function foldersOf(group: string): GroupFolders {
  return isUnified()
    ? { memory: `${GROUPS_PATH}/${group}`, pids: `${GROUPS_PATH}/${group}` }
    : { memory: `${GROUPS_PATH}/memory/${group}`, pids: `${GROUPS_PATH}/pids/${group}` }
}

/** Each folder once. */
export const distinctFolders = ({ memory, pids, cpu }: GroupFolders): string[] => [
  ...new Set([memory, pids, ...(cpu === undefined ? [] : [cpu])]),
]

/** The limit that a control group has reached, by the counters of the kernel. */
export function reachedLimit(
  { memory, pids }: GroupFolders,
  limits: ContainerLimits
): EndReport | undefined {
  const events = groupFile(`${memory}/memory.events`) || groupFile(`${memory}/memory.oom_control`)
  if (counter(events, 'oom_kill') > 0 || filledBytes(memory) > FILLED * limits.memoryBytes) {
    return {
      reason: 'memory',
      message: `It used more than ${Math.round(limits.memoryBytes / 1024 ** 2)} MiB of memory`,
    }
  }
  if (counter(groupFile(`${pids}/pids.events`), 'max') > 0) {
    return {
      reason: 'processes',
      message: `It reached the limit of ${limits.processes} processes and threads`,
    }
  }
  return undefined
}

/** Memory of processes, and files in memory. */
function filledBytes(folder: string): number {
  const text = groupFile(`${folder}/memory.stat`)
  return (counter(text, 'anon') || counter(text, 'rss')) + counter(text, 'shmem')
}

const counter = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0)

/** A file of a group; empty if there is none. */
export function groupFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
