import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { isStopped, livingIn } from './process_table.js'

const PAUSED_WITHIN_MS = 60_000

/**
 * Sends a signal to every process whose working directory is inside a folder. That finds children of children and those that
 * have lost their parent, and cannot hit a stranger that was given the process id of one that has ended.
 */
export function signalInhabitants(folder: string, signal: NodeJS.Signals): number {
  const inhabitants = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => `${workingDirectory(pid)}/`.startsWith(`${folder}/`))
  inhabitants.forEach((pid) => send(Number(pid), signal))
  return inhabitants.length
}

/**
 * Resolves when none of these processes runs any more, until they are told to continue. One that was begun while they were
 * told to stop has not heard of it: they are told until two looks in a row find the same ones, and none of them runs.
 */
export async function pauseInhabitants(folder: string): Promise<void> {
  const deadline = performance.now() + PAUSED_WITHIN_MS
  let before = ''
  let isPaused = false
  while (!isPaused) {
    if (performance.now() > deadline) {
      throw new Error(`Processes in ${folder} still run after SIGSTOP`)
    }
    signalInhabitants(folder, 'SIGSTOP')
    await sleep(1)
    const living = livingIn(folder)
    isPaused = living.every(isStopped) && living.join() === before
    before = living.join()
  }
}

/** Empty for a process that has just ended or that another user hides. */
function workingDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error
    }
  }
}
