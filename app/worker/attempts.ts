import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

import { clock } from '#kernel/clock'
import { removeFile } from '#kernel/remove_file'

/** Nobody delivers a command again after so long. */
const RETENTION_MS = 7 * 86_400_000

/**
 * How often commands were begun that are not done with: brokers deliver what ended a process again, and do not say how often they did. A command
 * that is under way is a file here, with as many bytes as there were attempts.
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

  /** Whether a process ended during an attempt, or is at one. */
  async isSuspect(commandId: string): Promise<boolean> {
    return (await this.#count(commandId)) > 0
  }

  /** Counts an attempt that is about to be made. */
  async start(commandId: string): Promise<number> {
    await appendFile(this.#pathOf(commandId), '.', { mode: 0o600 })
    return this.#count(commandId)
  }

  /** The command is done with, or has failed. */
  async finish(commandId: string): Promise<void> {
    await removeFile(this.#pathOf(commandId))
  }

  /** The attempt was put down in good order, and does not count. */
  async undo(commandId: string): Promise<void> {
    const count = await this.#count(commandId)
    await (count > 1
      ? truncate(this.#pathOf(commandId), count - 1)
      : removeFile(this.#pathOf(commandId)))
  }

  /** Commands that nobody has delivered again for long; answers how many. */
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

  /** Whoever sends a command gives it its id, which may be anything. */
  #pathOf(commandId: string): string {
    return join(this.#folder, createHash('sha256').update(commandId).digest('hex'))
  }
}
