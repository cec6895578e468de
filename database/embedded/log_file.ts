import { closeSync, constants, openSync } from 'node:fs'
import { copyFile, open, stat, truncate } from 'node:fs/promises'

/** Another user may own the folder: root must not follow their symbolic links. */
const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants

const sizeLimit = 4 * 1024 * 1024

/** The log of a server. A file and not a pipe, so that the server can still write after the hub has ended. */
export class LogFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Opens a descriptor for appending while the action runs. */
  append<T>(action: (descriptor: number) => T): T {
    const descriptor = openSync(this.#path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
    try {
      return action(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }

  /** Rotates the log and retains one older file, so that both together stay below about twice the limit. */
  async bound(): Promise<void> {
    if ((await this.size()) < sizeLimit) {
      return
    }
    // On a full disk the older file is lost; the server is more important.
    await copyFile(this.#path, `${this.#path}.1`).catch(() => {})
    await truncate(this.#path)
  }

  async size(): Promise<number> {
    return stat(this.#path).then(
      ({ size }) => size,
      () => 0
    )
  }

  /** The last lines after a position. */
  async linesSince(position: number, count = 6): Promise<string> {
    const file = await open(this.#path)
    const { size } = await file.stat()
    const start = Math.max(position, size - 8192)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(8192), position: start })
    await file.close()
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-count).join('\n')
  }
}
