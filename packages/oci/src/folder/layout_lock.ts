import lockfile from 'proper-lockfile'

import { KeyedMutex } from '#kernel/keyed_mutex'
import { ImageFolderUnusable } from '#oci/errors'

/** A lock of a crashed process expires after this time. */
const STALE_MS = 5_000
const RETRIES = { retries: 600, minTimeout: 10, maxTimeout: 250, factor: 1.3, randomize: true }

const lanes = new KeyedMutex()

/** Runs an action under an exclusive lock: a queue within this process, a lock file between processes. */
export const withLayoutLock = <T>(path: string, action: () => Promise<T>): Promise<T> =>
  lanes.run(path, () => withFileLock(path, action))

async function withFileLock<T>(path: string, action: () => Promise<T>): Promise<T> {
  let lost: Error | undefined
  const release = await lockfile
    .lock(path, {
      realpath: false,
      stale: STALE_MS,
      update: STALE_MS / 4,
      retries: RETRIES,
      onCompromised: (error) => (lost = error),
    })
    .catch((error: unknown) => {
      throw new ImageFolderUnusable(`${path} is locked by another process`, error)
    })
  try {
    const result = await action()
    if (lost) {
      throw new ImageFolderUnusable(`The lock of ${path} was lost to another process`, lost)
    }
    return result
  } finally {
    await release().catch(() => {})
  }
}
