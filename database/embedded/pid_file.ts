import { readFile, readlink, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface PidFile {
  readonly pid: number
  readonly port: number
  readonly ready: boolean
}

/** The contents of the pid file of a cluster; undefined if there is none. */
export async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid, , , port, , , , status] = text.split('\n')
  if (!Number(pid)) {
    return undefined
  }
  return { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready' }
}

/** Whether the process is a running PostgreSQL server of this cluster; false for a zombie and for a reused pid. */
export async function worksIn(cluster: string, pid: number): Promise<boolean> {
  try {
    const [name, folder, expected] = await Promise.all([
      readFile(`/proc/${pid}/comm`, 'utf8'),
      readlink(`/proc/${pid}/cwd`),
      realpath(cluster),
    ])
    return name.trim() === 'postgres' && folder === expected
  } catch {
    return false
  }
}

/**
 * Lets the next server take over the pid file of a dead one. PostgreSQL refuses to start if the recorded pid exists,
 * even as a zombie or an unrelated process, but accepts that of its parent. Removing the file would also remove the
 * protection against processes that still use the shared memory of the dead server.
 */
export async function inheritPidFile(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid')
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text !== undefined) {
    await writeFile(file, text.replace(/^\d*/, String(process.pid)))
  }
}
