import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

import type { ContainerLimits, EndReport } from '#node/containers/container_driver'
import { signalProcess } from '#node/containers/signal_process'
import {
  distinctFolders,
  groupFile,
  isUnified,
  reachedLimit,
  type GroupFolders,
} from './group_folders.js'

const CPU_PERIOD_US = 100_000
const POLL_MS = 5
/** A process that does not end within two seconds keeps its group until the node starts again. */
const REMOVE_TRIES = 400
/** The shell enters each group itself, and becomes the command. */
const ENTER = 'until [ "$1" = -- ]; do echo 0 > "$1" || exit 1; shift; done; shift; exec "$@"'

/** A control group, which bounds all processes that are started in it together. */
export class ContainerGroup {
  readonly #folders: GroupFolders

  constructor(folders: GroupFolders) {
    this.#folders = folders
  }

  async create(limits: ContainerLimits): Promise<void> {
    for (const folder of distinctFolders(this.#folders)) {
      await mkdir(folder)
    }
    const files = isUnified()
      ? unifiedLimits(this.#folders, limits)
      : separateLimits(this.#folders, limits)
    for (const [path, value] of Object.entries(files)) {
      await writeFile(path, value)
    }
    await this.#forbidSwap(limits)
  }

  /** Starts a command within the group. */
  enterCommand(): string[] {
    return [
      'sh',
      '-c',
      ENTER,
      'sh',
      ...distinctFolders(this.#folders).map((path) => `${path}/cgroup.procs`),
      '--',
    ]
  }

  reachedLimit(limits: ContainerLimits): EndReport | undefined {
    return reachedLimit(this.#folders, limits)
  }

  /** Ends what is left in it. The kernel lets a group go a moment after its last process. */
  async remove(): Promise<void> {
    for (const folder of distinctFolders(this.#folders)) {
      for (let tries = 0; tries < REMOVE_TRIES && !(await isRemoved(folder)); tries++) {
        endProcesses(folder)
        await delay(POLL_MS)
      }
    }
  }

  /** Kernels that do not count swap have no such file. */
  async #forbidSwap({ memoryBytes }: ContainerLimits): Promise<void> {
    const { memory } = this.#folders
    const [name, value] = isUnified()
      ? ['memory.swap.max', '0']
      : ['memory.memsw.limit_in_bytes', String(memoryBytes)]
    if (groupFile(`${memory}/${name}`) !== '') {
      await writeFile(`${memory}/${name}`, value)
    }
  }
}

function unifiedLimits({ memory, pids, cpu }: GroupFolders, limits: ContainerLimits) {
  return {
    [`${memory}/memory.max`]: String(limits.memoryBytes),
    [`${memory}/memory.oom.group`]: '1',
    [`${pids}/pids.max`]: String(limits.processes),
    ...(cpu && { [`${cpu}/cpu.max`]: `${quotaOf(limits)} ${CPU_PERIOD_US}` }),
  }
}

function separateLimits({ memory, pids, cpu }: GroupFolders, limits: ContainerLimits) {
  return {
    [`${memory}/memory.limit_in_bytes`]: String(limits.memoryBytes),
    [`${pids}/pids.max`]: String(limits.processes),
    ...(cpu && {
      [`${cpu}/cpu.cfs_period_us`]: String(CPU_PERIOD_US),
      [`${cpu}/cpu.cfs_quota_us`]: String(quotaOf(limits)),
    }),
  }
}

const quotaOf = ({ cpus }: ContainerLimits): number => Math.round(cpus * CPU_PERIOD_US)

async function isRemoved(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function endProcesses(folder: string): void {
  const pids = groupFile(`${folder}/cgroup.procs`).split('\n').filter(Boolean).map(Number)
  // A process that this namespace does not see has the number 0.
  pids.filter((pid) => pid > 0).forEach((pid) => signalProcess(pid, 'SIGKILL'))
}
