import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

import { clock } from '#kernel/clock'
import { removeFile } from '#kernel/remove_file'

/** Commands are not redelivered after this time. */
const RETENTION_MS = 7 * 86_400_000

/**
 * Counts attempts of unfinished commands, because brokers redeliver after a crash without a count. Each command is a
 * file with one byte per attempt.
 */
export class Attempts {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(folder: string): Promise<Attempts> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new Attempts(folder)
  }

  /** Whether an attempt crashed or is in progress. */
  async isSuspect(commandId: string): Promise<boolean> {
    return (await this.#count(commandId)) > 0
  }

  /** Counts an attempt and returns the number so far. */
  async start(commandId: string): Promise<number> {
    await appendFile(this.#pathOf(commandId), '.', { mode: 0o600 })
    return this.#count(commandId)
  }

  /** The command is done or has failed. */
  async finish(commandId: string): Promise<void> {
    await removeFile(this.#pathOf(commandId))
  }

  /** The attempt was interrupted on purpose and does not count. */
  async undo(commandId: string): Promise<void> {
    const count = await this.#count(commandId)
    await (count > 1
      ? truncate(this.#pathOf(commandId), count - 1)
      : removeFile(this.#pathOf(commandId)))
  }

  /** Removes records of old commands and returns how many. */
  async removeOld(): Promise<number> {
    let removed = 0
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats && clock.now() - stats.mtimeMs > RETENTION_MS && (await removeFile(path))) {
        removed++
      }
    }
    return removed
  }

  async #count(commandId: string): Promise<number> {
    const stats = await stat(this.#pathOf(commandId)).catch(() => undefined)
    return stats?.size ?? 0
  }

  /** The ID is chosen by the sender and may not be a valid file name. */
  #pathOf(commandId: string): string {
    return join(this.#folder, createHash('sha256').update(commandId).digest('hex'))
  }
}
