import { readdirSync, readlinkSync } from 'node:fs'

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
