import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** Longer than any build. */
const MAX_AGE_MS = 60 * 60 * 1_000

/** Removes a folder whose files may belong to user IDs that only exist within builds. */
export type RemoveFolder = (folder: string) => Promise<void>

export const removeFolder: RemoveFolder = (folder) => rm(folder, { recursive: true, force: true })

/** The private temporary folders of the jobs of a worker. */
export class WorkFolders {
  readonly #parent: string
  readonly #remove: RemoveFolder
  readonly #active = new Set<string>()

  constructor(parent: string, remove: RemoveFolder = removeFolder) {
    this.#parent = parent
    this.#remove = remove
  }

  /** Runs an action in a folder of its own and removes it afterwards. */
  async use<T>(action: (folder: string) => Promise<T>): Promise<T> {
    await mkdir(this.#parent, { recursive: true, mode: 0o700 })
    await this.#sweep()
    const name = `${hostname()}.${process.pid}.${randomBytes(6).toString('hex')}`
    const folder = join(this.#parent, name)
    this.#active.add(name)
    try {
      await mkdir(folder, { mode: 0o700 })
      return await action(folder)
    } finally {
      await this.#remove(folder).catch(() => {})
      this.#active.delete(name)
    }
  }

  /** Removes folders of crashed processes. */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#parent)) {
      const folder = join(this.#parent, name)
      if (!this.#active.has(name) && (await isAbandoned(name, folder))) {
        await this.#remove(folder).catch(() => {})
      }
    }
  }
}

async function isAbandoned(name: string, folder: string): Promise<boolean> {
  const [, host, pid] = /^(.+)\.(\d+)\.[\da-f]{12}$/.exec(name) ?? []
  if (pid === undefined) {
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
