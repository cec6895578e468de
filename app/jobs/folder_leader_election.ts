import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import lockfile from 'proper-lockfile'

import { LockLost, type LeaderElection } from './leader_election.js'

/** The lock of a killed process expires after this time. */
const STALE_MS = 10_000

/** Leader election by a lock file, for processes that share nothing but a folder. */
export const electionInFolder =
  (folder: string): LeaderElection =>
  async (name, work) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const lock = join(folder, name.replaceAll(/\W/g, '-'))
    const lost = new AbortController()
    const onCompromised = (error: Error) => lost.abort(new LockLost(name, error))
    const options = { realpath: false, stale: STALE_MS, retries: 0, onCompromised }
    const release = await lockfile.lock(lock, options).catch((error: { code?: string }) => {
      if (error.code !== 'ELOCKED') {
        throw error
      }
    })
    if (!release) {
      return undefined
    }
    try {
      const done = await work(lost.signal)
      lost.signal.throwIfAborted()
      return done
    } finally {
      await release().catch(() => {})
    }
  }
