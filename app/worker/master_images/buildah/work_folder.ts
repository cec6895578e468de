import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** Longer than any build. */
const MAX_AGE_MS = 60 * 60 * 1_000

const active = new Set<string>()

/** Removes a folder whose files may belong to user IDs that only exist within builds. */
export type RemoveFolder = (folder: string) => Promise<void>

export const removeFolder: RemoveFolder = (folder) => rm(folder, { recursive: true, force: true })

/** Runs an action in a private temporary folder and removes it afterwards. */
export async function inWorkFolder<T>(
  parent: string,
  action: (folder: string) => Promise<T>,
  remove: RemoveFolder = removeFolder
): Promise<T> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  await sweep(parent, remove)
  const name = `${hostname()}.${process.pid}.${randomBytes(6).toString('hex')}`
  const folder = join(parent, name)
  active.add(name)
  try {
    await mkdir(folder, { mode: 0o700 })
    return await action(folder)
  } finally {
    await remove(folder).catch(() => {})
    active.delete(name)
  }
}

/** Removes folders of crashed processes. */
async function sweep(parent: string, remove: RemoveFolder): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    if (await isAbandoned(name, folder)) {
      await remove(folder).catch(() => {})
    }
  }
}

async function isAbandoned(name: string, folder: string): Promise<boolean> {
  const [, host, pid] = /^(.+)\.(\d+)\.[\da-f]{12}$/.exec(name) ?? []
  if (pid === undefined || active.has(name)) {
    return false
  }
  if (host === hostname()) {
    return Number(pid) === process.pid || !isRunning(Number(pid))
  }
  const stats = await stat(folder).catch(() => undefined)
  return stats !== undefined && Date.now() - stats.mtimeMs > MAX_AGE_MS
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
