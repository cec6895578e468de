import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface ContainerFolder {
  readonly path: string
  remove(): Promise<void>
}

/** Manages a folder for each running container. */
export class RunFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  async create(): Promise<ContainerFolder> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    const path = await mkdtemp(join(this.path, 'container-'))
    return { path, remove: () => rm(path, { recursive: true, force: true }) }
  }

  /** Removes the folders of an earlier process. */
  async clear(): Promise<void> {
    const names = await readdir(this.path).catch(() => [])
    await Promise.all(
      names.map((name) => rm(join(this.path, name), { recursive: true, force: true }))
    )
  }
}
