import { OBJECT_SWEEPS, OBJECT_RETENTION_LOCK } from '#storage/sweeps/object_retention'
import { BackupClient } from './backup_client.js'
import type { DatabaseAddress } from './databases.js'

/** Advisory locks that keep objects from being removed. A sweep runs on any of the databases. */
const LOCKS = [...OBJECT_SWEEPS.map((name) => `sweep:${name}`), OBJECT_RETENTION_LOCK]

/** Prevents all processes of the installation from removing objects while its connections are open. */
export class ObjectRemovalLock {
  readonly #clients: BackupClient[] = []

  /** Waits for running sweeps. `onLost` is called if the lock is lost. */
  static async acquire(
    databases: readonly DatabaseAddress[],
    signal: AbortSignal,
    onLost: (error: Error) => void
  ): Promise<ObjectRemovalLock> {
    const removalLock = new ObjectRemovalLock()
    const terminate = () => removalLock.#clients.forEach((client) => client.terminate())
    signal.addEventListener('abort', terminate, { once: true })
    try {
      for (const { url } of databases) {
        const client = await BackupClient.open(url)
        removalLock.#clients.push(client)
        for (const name of LOCKS) {
          await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
        }
        client.onLost(onLost)
      }
      return removalLock
    } catch (error) {
      await removalLock.release()
      throw error
    }
  }

  async release(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()))
  }
}
