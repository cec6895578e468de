import { spawnSync } from 'node:child_process'
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { DataFolderInaccessible, DataFolderInUse, SystemToolMissing } from './errors.js'
import type { DataFolder } from './data_folder.js'

/** Another user may own the folder: root must not follow their symbolic links. */
const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants

/**
 * The lock of the process that owns a data folder. The kernel releases it with the process, so a killed one leaves none
 * behind.
 */
export class OwnerLock {
  readonly #descriptor: number

  private constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  static async take(folder: DataFolder): Promise<OwnerLock> {
    const descriptor = openLock(folder)
    // Node.js cannot lock a file. The lock belongs to the open file, which a helper process shares with this one, and
    // outlives the helper.
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
