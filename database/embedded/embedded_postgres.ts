import { connectionUrl } from './connection_url.js'
import { DataFolder } from './data_folder.js'
import { explain } from './explain.js'
import { endLeftovers } from './leftovers.js'
import { OwnerLock } from './owner_lock.js'
import { Postmaster } from './postmaster.js'
import { launchOnFreePort, openDatabases, prepareCluster } from './startup.js'
import { Supervisor } from './supervisor.js'

export interface EmbeddedPostgresOptions {
  /** Folder of the server, made where it is new; one process at a time owns it. */
  readonly dataDir: string
  /** Databases that exist once the server is started; `url` leads to the first. */
  readonly databases?: readonly [string, ...string[]]
  /** Told in a sentence what a person at the terminal should know. */
  readonly onNotice?: (text: string) => void
}

/**
 * A real PostgreSQL for those who have none at hand: started by the process that owns it, started again on the same
 * port when it dies, and gone with its owner even when that one is killed.
 */
export class EmbeddedPostgres {
  /** Address of the first database; it carries the password and must not be logged. */
  readonly url: string
  readonly #port: number
  readonly #password: string
  readonly #supervisor: Supervisor
  readonly #lock: OwnerLock
  #stopped?: Promise<void>

  private constructor(
    port: number,
    password: string,
    database: string,
    supervisor: Supervisor,
    lock: OwnerLock
  ) {
    this.#port = port
    this.#password = password
    this.#supervisor = supervisor
    this.#lock = lock
    this.url = this.urlOf(database)
  }

  /** Resolves when the databases can be used; rejects with an `EmbeddedPostgresError` that says what to do. */
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
      return new EmbeddedPostgres(first.port, password, databases[0], supervisor, lock)
    } catch (error) {
      lock.release()
      throw await explain(error, folder)
    }
  }

  /** Address of any database of this server, as `url`. */
  urlOf(database: string): string {
    return connectionUrl(this.#port, this.#password, database)
  }

  /** Ends the server cleanly and gives the folder free. Call it when the database is not used any more. */
  stop(): Promise<void> {
    this.#stopped ??= this.#supervisor.stop().finally(() => this.#lock.release())
    return this.#stopped
  }
}
