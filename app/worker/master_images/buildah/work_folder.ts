import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** No build takes as long. */
const OLDEST_MS = 60 * 60 * 1_000

const underWay = new Set<string>()

/** Removes a folder with whatever is in it, which may belong to accounts that only exist within builds. */
export type Removal = (folder: string) => Promise<void>

export const removePlainly: Removal = (folder) => rm(folder, { recursive: true, force: true })

/** Does something in a folder of its own, which only we can read, and which is gone afterwards. */
export async function inWorkFolder<T>(
  parent: string,
  work: (folder: string) => Promise<T>,
  remove: Removal = removePlainly
): Promise<T> {
  await mkdir(parent, { recursive: true, mode: 0o700 })
  await sweep(parent, remove)
  const name = `${hostname()}.${process.pid}.${randomBytes(6).toString('hex')}`
  const folder = join(parent, name)
  underWay.add(name)
  try {
    await mkdir(folder, { mode: 0o700 })
    return await work(folder)
  } finally {
    await remove(folder).catch(() => {})
    underWay.delete(name)
  }
}

/** What processes left behind that were killed. */
async function sweep(parent: string, remove: Removal): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    if (await isLeftBehind(name, folder)) {
      await remove(folder).catch(() => {})
    }
  }
}

async function isLeftBehind(name: string, folder: string): Promise<boolean> {
  const [, host, pid] = /^(.+)\.(\d+)\.[\da-f]{12}$/.exec(name) ?? []
  if (pid === undefined || underWay.has(name)) {
    return false
  }
  if (host === hostname()) {
    return Number(pid) === process.pid || !isRunning(Number(pid))
  }
  const found = await stat(folder).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > OLDEST_MS
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
