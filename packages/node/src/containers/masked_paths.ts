import { existsSync } from 'node:fs'

/** The paths of `/proc` that container runtimes hide, because they show or change the machine. */
export const HIDDEN_FILES = ['kcore', 'keys', 'latency_stats', 'timer_list', 'sched_debug']
  .map((name) => `/proc/${name}`)
  .filter((path) => existsSync(path))

export const EMPTY_FOLDERS = ['/proc/acpi', '/proc/scsi'].filter((path) => existsSync(path))

export const READ_ONLY_FOLDERS = ['asound', 'bus', 'fs', 'irq', 'sys', 'sysrq-trigger']
  .map((name) => `/proc/${name}`)
  .filter((path) => existsSync(path))
