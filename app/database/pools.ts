import { DatabasePool } from './database_pool.js'
import { databaseSettings } from './database_settings.js'

/**
 * The PostgreSQL pools of the process: one per distinct URL, so that surfaces that share a database share its
 * connections.
 */
export class Pools {
  readonly #pools = new Map<string, DatabasePool>()

  /** The address of the embedded database, set once it runs and before the application boots. */
  embeddedUrl: string | undefined

  /** Called when an idle connection breaks; the pool replaces it. */
  onIdleError: (error: Error) => void = () => {}

  for(url: string): DatabasePool {
    let pool = this.#pools.get(url)
    if (!pool) {
      pool = this.#open(url)
      this.#pools.set(url, pool)
    }
    return pool
  }

  all(): DatabasePool[] {
    return [...this.#pools.values()]
  }

  async close(): Promise<void> {
    const open = this.all()
    this.#pools.clear()
    await Promise.all(open.map((pool) => pool.end()))
  }

  #open(url: string): DatabasePool {
    const pool = new DatabasePool({
      connectionString: url,
      size: databaseSettings().poolSize,
      connectionTimeoutMillis: 10_000,
      application_name: 'analysis-hub',
    })
    return pool.on('error', (error) => this.onIdleError(error))
  }
}

export const pools = new Pools()
