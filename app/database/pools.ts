import { urlsByHost } from '#configuration/urls_by_host'
import { hostOf, hostText, type HostAddress } from '#kernel/host_resolver'
import type { DatabaseClientSettings } from './database_client.js'
import { DatabasePool } from './database_pool.js'
import { databaseSettings } from './database_settings.js'
import { PrimaryResolver } from './primary_resolver.js'
import type { DatabaseHost } from './primary_watch.js'

const USUAL_PORT = 5432

/** Settings that open a connection to a database. */
export type DatabaseConnection = Pick<DatabaseClientSettings, 'connectionString' | 'resolver'>

/**
 * The PostgreSQL pools of the process: one per distinct URL, so that surfaces that share a database share its
 * connections.
 */
export class Pools {
  readonly #pools = new Map<string, DatabasePool>()
  readonly #resolvers = new Map<string, PrimaryResolver>()

  /** The address of the embedded database, set once it runs and before the application boots. */
  embeddedUrl: string | undefined

  /** Called when an idle connection breaks; the pool replaces it. */
  onIdleError: (error: Error) => void = () => {}

  /** Called when another host has become the primary of a database. */
  onPrimaryMoved: (primary: HostAddress) => void = () => {}

  /** How to connect to a database. Databases on the same several hosts share what finds their primary. */
  connectionTo(url: string): DatabaseConnection {
    const hosts = databaseHosts(url)
    if (hosts.length === 1) {
      return { connectionString: url }
    }
    return { connectionString: hosts[0]!.url, resolver: this.#resolverOf(hosts) }
  }

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
      ...this.connectionTo(url),
      size: databaseSettings().poolSize,
      connectionTimeoutMillis: 10_000,
      application_name: 'analysis-hub',
    })
    return pool.on('error', (error) => this.onIdleError(error))
  }

  #resolverOf(hosts: readonly DatabaseHost[]): PrimaryResolver {
    const names = hosts.map(({ address }) => hostText(address)).join()
    let resolver = this.#resolvers.get(names)
    if (!resolver) {
      resolver = new PrimaryResolver(hosts, (primary) => this.onPrimaryMoved(primary))
      this.#resolvers.set(names, resolver)
    }
    return resolver
  }
}

export const pools = new Pools()

/** The hosts that the address of a database names. */
export const databaseHosts = (url: string): DatabaseHost[] =>
  urlsByHost(url).map((each) => ({ url: each, address: hostOf(each, USUAL_PORT) }))
