import { accessSync, constants, existsSync, readFileSync } from 'node:fs'

import type { ContainerLimits, EndReport } from '#node/containers/container_driver'

/** Where the counters are, with one hierarchy for all controllers or one for each. */
const FILES = {
  processes: ['pids.events', 'pids/$/pids.events'],
  memory: ['memory.events', 'memory/$/memory.oom_control'],
}

const ROOT = '/sys/fs/cgroup'

/** Why groups that limit memory cannot be made here; undefined if they can. */
export function groupsUnavailable(): string | undefined {
  const isUnified = existsSync(`${ROOT}/cgroup.controllers`)
  try {
    accessSync(isUnified ? ROOT : `${ROOT}/memory`, constants.W_OK)
    return undefined
  } catch (error) {
    return `Control groups cannot be written here (${(error as Error).message}): use the driver bubblewrap`
  }
}

/** The limit that a control group has reached, by the counters of the kernel. */
export function reachedLimit(group: string, limits: ContainerLimits): EndReport | undefined {
  if (counter(group, FILES.memory, 'oom_kill') > 0) {
    return {
      reason: 'memory',
      message: `It used more than ${Math.round(limits.memoryBytes / 1024 ** 2)} MiB of memory`,
    }
  }
  if (counter(group, FILES.processes, 'max') > 0) {
    return {
      reason: 'processes',
      message: `It reached the limit of ${limits.processes} processes and threads`,
    }
  }
  return undefined
}

function counter(group: string, [unified, own]: readonly string[], name: string): number {
  const text = groupFile(`${group}/${unified}`) || groupFile(own!.replace('$', group))
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0)
}

function groupFile(path: string): string {
  try {
    return readFileSync(`${ROOT}/${path}`, 'utf8')
  } catch {
    return ''
  }
}
