import pg from 'pg'

import type { SurfaceName } from '#configuration/surfaces'
import { DatabaseClient } from '#database/database_client'
import { databaseHosts, pools } from '#database/pools'
import type { DatabaseHost } from '#database/primary_watch'
import type { Env } from '#configuration/variables'

/** A database of the installation, and the surfaces with tables in it. */
export interface Database {
  /** The names of its surfaces, for messages. */
  readonly name: string
  readonly surfaces: readonly SurfaceName[]
  readonly hosts: readonly DatabaseHost[]
  readonly pool: pg.Pool
}

interface CheckContextOptions {
  readonly env: Env
  readonly surfaces: readonly SurfaceName[]
  /** The database address of a surface; throws if it is unknown. */
  readonly addressOf: (surface: SurfaceName) => string
  /** The queues that the surfaces consume. */
  readonly queues: readonly string[]
  readonly migrations: URL
  /** The variables whose secret is not in a file. */
  readonly secretsInEnvironment: readonly string[]
}

/** A machine at its limit takes seconds to answer, and is not down. */
const CONNECT_MS = 10_000
const STATEMENT_MS = 15_000

/** The installation that the checks examine. */
export class CheckContext {
  readonly env: Env
  readonly surfaces: readonly SurfaceName[]
  readonly queues: readonly string[]
  readonly migrations: URL
  readonly secretsInEnvironment: readonly string[]
  /** The databases with a known address. */
  readonly databases: readonly Database[]
  /** The surfaces without a known database address. */
  readonly withoutDatabase: readonly SurfaceName[]

  constructor(options: CheckContextOptions) {
    const { env, surfaces, addressOf, queues, migrations, secretsInEnvironment } = options
    this.env = env
    this.surfaces = surfaces
    this.queues = queues
    this.migrations = migrations
    this.secretsInEnvironment = secretsInEnvironment
    const addresses = new Map(
      surfaces.map((surface) => [surface, addressOrUndefined(addressOf, surface)])
    )
    this.withoutDatabase = surfaces.filter((surface) => addresses.get(surface) === undefined)
    const urls = new Set([...addresses.values()].filter((url) => url !== undefined))
    this.databases = [...urls].map((url) => {
      const served = surfaces.filter((surface) => addresses.get(surface) === url)
      const hosts = databaseHosts(url)
      return { name: served.join(', '), surfaces: served, hosts, pool: openPool(url) }
    })
  }

  /** The database of a surface, if this process works for the surface and knows its address. */
  databaseOf(surface: SurfaceName): Database | undefined {
    return this.databases.find(({ surfaces }) => surfaces.includes(surface))
  }

  async close(): Promise<void> {
    await Promise.all(this.databases.map(({ pool }) => pool.end()))
  }
}

function addressOrUndefined(
  addressOf: CheckContextOptions['addressOf'],
  surface: SurfaceName
): string | undefined {
  try {
    return addressOf(surface)
  } catch {
    return undefined
  }
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    ...pools.connectionTo(url),
    Client: DatabaseClient as unknown as new () => pg.ClientBase,
    max: 8,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    application_name: 'analysis-hub doctor',
  })
  return pool.on('error', () => {})
}
