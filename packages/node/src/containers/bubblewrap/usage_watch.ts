import { statfsSync } from 'node:fs'

import type { ContainerLimits, EndReport } from '#node/containers/container_driver'
import type { ContainerGroup } from '#node/containers/control_groups/container_group'
import type { ResolvedSpec } from '#node/containers/resolve_spec'
import { descendants, procFile, threadsOf } from '#node/containers/process_tree'

const INTERVAL_MS = 50
const PAGE_BYTES = 4096
/** The kernel keeps about one KiB for each file of a tmpfs, which its size does not count. */
const BYTES_PER_FILE = 1024
const ALWAYS_WRITABLE = ['/tmp', '/dev/shm']

/**
 * Sums up what the processes of a container use, and reports the first limit that they exceed together. The kernel
 * limits each of them, and their number; their sum only where the container has a control group.
 */
export class UsageWatch {
  readonly #init: number
  readonly #limits: ContainerLimits
  readonly #writable: readonly string[]
  readonly #group: ContainerGroup | undefined
  readonly #onExceeded: (report: EndReport) => void
  readonly #timer: NodeJS.Timeout

  constructor(
    init: number,
    { limits, writable }: Pick<ResolvedSpec, 'limits' | 'writable'>,
    group: ContainerGroup | undefined,
    onExceeded: (report: EndReport) => void
  ) {
    this.#init = init
    this.#limits = limits
    this.#writable = [...ALWAYS_WRITABLE, ...(writable ? [writable.path] : [])]
    this.#group = group
    this.#onExceeded = onExceeded
    this.#timer = setInterval(() => this.#check(), INTERVAL_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const exceeded =
      this.#group?.reachedLimit(this.#limits) ??
      exceededLimit(this.#init, this.#limits, this.#writable)
    if (exceeded) {
      this.stop()
      this.#onExceeded(exceeded)
    }
  }
}

function exceededLimit(
  init: number,
  limits: ContainerLimits,
  writable: readonly string[]
): EndReport | undefined {
  const pids = descendants(init)
  const tasks = sum(pids, (pid) => threadsOf(pid).length)
  if (tasks >= limits.processes) {
    return {
      reason: 'processes',
      message: `It reached the limit of ${limits.processes} processes and threads`,
    }
  }
  if (sum(pids, residentBytes) > limits.memoryBytes && sum(pids, ownBytes) > limits.memoryBytes) {
    return {
      reason: 'memory',
      message: `It used more than ${Math.round(limits.memoryBytes / 1024 ** 2)} MiB of memory`,
    }
  }
  const maxFiles = Math.ceil(limits.tmpBytes / BYTES_PER_FILE)
  if (writable.some((path) => fileCount(`/proc/${init}/root${path}`) > maxFiles)) {
    return { reason: 'files', message: `It created more than ${maxFiles} files` }
  }
  return undefined
}

/** Counts shared pages in each process, and takes a microsecond. */
function residentBytes(pid: number): number {
  return Number(procFile(`${pid}/statm`).split(' ')[1] ?? 0) * PAGE_BYTES
}

/** Counts a page that is shared by n processes as a nth in each, and takes as long as their page tables are. */
function ownBytes(pid: number): number {
  const [, kib] = /^Pss:\s+(\d+) kB/m.exec(procFile(`${pid}/smaps_rollup`)) ?? []
  return kib === undefined ? residentBytes(pid) : Number(kib) * 1024
}

function fileCount(path: string): number {
  try {
    const { files, ffree } = statfsSync(path)
    return files - ffree
  } catch {
    return 0
  }
}

const sum = (pids: readonly number[], amount: (pid: number) => number): number =>
  pids.reduce((total, pid) => total + amount(pid), 0)
