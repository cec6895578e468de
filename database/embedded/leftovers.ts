import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { inheritPidFile, readPidFile, worksIn } from './pid_file.js'

/**
 * Ends the processes of an earlier, killed owner or server of a cluster, and prepares for a new server. Only the owner
 * of the data folder may call it.
 */
export async function endLeftovers(cluster: string): Promise<void> {
  const left = await readPidFile(cluster)
  if (!left) {
    return
  }
  if (await worksIn(cluster, left.pid)) {
    signal(left.pid, 'SIGINT')
    await quiet(() => worksIn(cluster, left.pid), 15_000)
  }
  await endAll(cluster, 'SIGQUIT', 5_000)
  await endAll(cluster, 'SIGKILL', 5_000)
  await inheritPidFile(cluster)
}

async function endAll(cluster: string, name: NodeJS.Signals, patience: number): Promise<void> {
  for (const pid of await processesIn(cluster)) {
    signal(pid, name)
  }
  await quiet(() => processesIn(cluster).then((pids) => pids.length > 0), patience)
}

async function processesIn(cluster: string): Promise<number[]> {
  const entries = await readdir('/proc')
  const pids = entries.map(Number).filter(Boolean)
  const own = await Promise.all(pids.map((pid) => worksIn(cluster, pid)))
  return pids.filter((_, index) => own[index])
}

async function quiet(busy: () => Promise<boolean>, patience: number): Promise<void> {
  const deadline = Date.now() + patience
  while ((await busy()) && Date.now() < deadline) {
    await delay(10)
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error
    }
  }
}
