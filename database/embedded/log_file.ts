import { closeSync, constants, openSync } from 'node:fs'
import { copyFile, open, stat, truncate } from 'node:fs/promises'

/** Another user may own the folder; links of theirs must not lead root elsewhere. */
const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants

const sizeLimit = 4 * 1024 * 1024

/** The log of a server. It lives in a file and not in a pipe, so that the server can write when the hub is gone. */
export class LogFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Hands out a descriptor that appends, for as long as the action lasts. */
  append<T>(action: (descriptor: number) => T): T {
    const descriptor = openSync(this.#path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
    try {
      return action(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }

  /** Keeps one older generation, so that log and generation together stay below about twice the limit. */
  async bound(): Promise<void> {
    if ((await this.size()) < sizeLimit) {
      return
    }
    // On a full disk the older generation is lost; the server matters more.
    await copyFile(this.#path, `${this.#path}.1`).catch(() => {})
    await truncate(this.#path)
  }

  async size(): Promise<number> {
    return stat(this.#path).then(
      ({ size }) => size,
      () => 0
    )
  }

  /** The last lines that were written after a position. */
  async linesSince(position: number, count = 6): Promise<string> {
    const file = await open(this.#path)
    const { size } = await file.stat()
    const start = Math.max(position, size - 8192)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(8192), position: start })
    await file.close()
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-count).join('\n')
  }
}
