import { spawnSync } from 'node:child_process'
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { DataFolderInaccessible, DataFolderInUse, SystemToolMissing } from './errors.js'
import type { DataFolder } from './data_folder.js'

/** Another user may own the folder; links of theirs must not lead root elsewhere. */
const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants

/**
 * Says that this process owns a data folder. The kernel holds the lock as long as the process lives, so none is left
 * behind by a process that was killed.
 */
export class OwnerLock {
  readonly #descriptor: number

  private constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  static async take(folder: DataFolder): Promise<OwnerLock> {
    const descriptor = openLock(folder)
    // Node cannot lock a file. A lock belongs to the open file, which the helper shares with us, and outlives the helper.
    const { status, error } = spawnSync('flock', ['-x', '-n', '3'], {
      stdio: ['ignore', 'ignore', 'ignore', descriptor],
    })
    if (status === 0) {
      await folder.own(folder.lock)
      ftruncateSync(descriptor)
      writeSync(descriptor, `${process.pid}\n`, 0)
      return new OwnerLock(descriptor)
    }
    closeSync(descriptor)
    if (error) {
      throw new SystemToolMissing('flock')
    }
    throw new DataFolderInUse(folder.path, readFileSync(folder.lock, 'utf8').trim())
  }

  release(): void {
    closeSync(this.#descriptor)
  }
}

function openLock(folder: DataFolder): number {
  try {
    return openSync(folder.lock, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
  } catch (error) {
    throw new DataFolderInaccessible(folder.path, (error as Error).message, { cause: error })
  }
}
