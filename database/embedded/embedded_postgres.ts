import { connectionUrl } from './connection_url.js'
import { DataFolder } from './data_folder.js'
import { explain } from './explain.js'
import { endLeftovers } from './leftovers.js'
import { OwnerLock } from './owner_lock.js'
import { Postmaster } from './postmaster.js'
import { launchOnFreePort, openDatabases, prepareCluster } from './startup.js'
import { Supervisor } from './supervisor.js'

export interface EmbeddedPostgresOptions {
  /** The folder of the server, created if needed. A single process owns it at a time. */
  readonly dataDir: string
  /** Databases to create; `url` is that of the first. */
  readonly databases?: readonly [string, ...string[]]
  /** Receives messages for the user at the terminal. */
  readonly onNotice?: (text: string) => void
}

/**
 * A PostgreSQL server managed by the process that owns it. It is restarted on the same port when it fails, and ends
 * with its owner, even if that is killed.
 */
export class EmbeddedPostgres {
  /** The URL of the first database. It contains the password: never log it. */
  readonly url: string
  readonly #folder: DataFolder
  readonly #port: number
  readonly #password: string
  readonly #supervisor: Supervisor
  readonly #lock: OwnerLock
  #stopped?: Promise<void>

  private constructor(
    folder: DataFolder,
    port: number,
    password: string,
    database: string,
    supervisor: Supervisor,
    lock: OwnerLock
  ) {
    this.#folder = folder
    this.#port = port
    this.#password = password
    this.#supervisor = supervisor
    this.#lock = lock
    this.url = this.urlOf(database)
  }

  /** Resolves when the databases are ready. Rejects with an `EmbeddedPostgresError` that says what to do. */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { dataDir, databases = ['hub'], onNotice = () => {} } = options
    const folder = new DataFolder(dataDir)
    await folder.prepare()
    const lock = await OwnerLock.take(folder)
    try {
      const launcher = await prepareCluster(folder, onNotice)
      const first = await launchOnFreePort(folder, launcher)
      const password = await openDatabases(folder, first, databases)
      const relaunch = async () => {
        await endLeftovers(folder.cluster)
        return Postmaster.launch(folder, first.port, launcher)
      }
      const supervisor = new Supervisor(first, relaunch, onNotice)
      return new EmbeddedPostgres(folder, first.port, password, databases[0], supervisor, lock)
    } catch (error) {
      lock.release()
      throw await explain(error, folder)
    }
  }

  /** The URL of any database of this server, like `url`. */
  urlOf(database: string): string {
    return connectionUrl(this.#port, this.#password, database)
  }

  /** Stops the server cleanly and releases the folder. Call it when the database is no longer used. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop().finally(() => this.#lock.release())
    return this.#stopped
  }

  /** A server that was killed leaves processes behind, which nobody ends if it is not started again. */
  async #stop(): Promise<void> {
    await this.#supervisor.stop()
    await endLeftovers(this.#folder.cluster)
  }
}
