import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const PROBE = 'probe'
const PROBE_BYTES = 64 * 1024
const FULL = new Set(['ENOSPC', 'EDQUOT'])

/** The disk of the folder in which the worker keeps its state. */
export class WorkerDisk {
  readonly #probe: string

  constructor(folder: string) {
    this.#probe = join(folder, PROBE)
  }

  async isFull(): Promise<boolean> {
    try {
      await writeFile(this.#probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600 })
      return false
    } catch (error) {
      return FULL.has((error as NodeJS.ErrnoException).code ?? '')
    } finally {
      // Whatever else is wrong with the disk is reported by the command that needs it.
      await rm(this.#probe, { force: true }).catch(() => {})
    }
  }

  async requireSpace(): Promise<void> {
    if (await this.isFull()) {
      throw new Error('the disk of WORKER_PATH is full, so other workers take its commands')
    }
  }
}
