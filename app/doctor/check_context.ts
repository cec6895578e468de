import pg from 'pg'

import type { SurfaceName } from '#configuration/surfaces'
import type { Env } from '#start/env'

/** A database of the installation, and whose tables are in it. */
export interface Database {
  /** The names of its surfaces, for people. */
  readonly name: string
  readonly surfaces: readonly SurfaceName[]
  readonly pool: pg.Pool
}

interface CheckContextOptions {
  readonly env: Env
  readonly surfaces: readonly SurfaceName[]
  /** Where the tables of a surface are; throws where that is not known. */
  readonly addressOf: (surface: SurfaceName) => string
  /** The queues that are taken from by the surfaces. */
  readonly queues: readonly string[]
  readonly migrations: URL
}

const CONNECT_MS = 4_000
const STATEMENT_MS = 8_000

/** What checks look at. */
export class CheckContext {
  readonly env: Env
  readonly surfaces: readonly SurfaceName[]
  readonly queues: readonly string[]
  readonly migrations: URL
  /** Those whose address is known. */
  readonly databases: readonly Database[]
  /** The surfaces of which it is not. */
  readonly withoutDatabase: readonly SurfaceName[]

  constructor({ env, surfaces, addressOf, queues, migrations }: CheckContextOptions) {
    this.env = env
    this.surfaces = surfaces
    this.queues = queues
    this.migrations = migrations
    const addresses = new Map(
      surfaces.map((surface) => [surface, addressOrUndefined(addressOf, surface)])
    )
    this.withoutDatabase = surfaces.filter((surface) => addresses.get(surface) === undefined)
    const urls = new Set([...addresses.values()].filter((url) => url !== undefined))
    this.databases = [...urls].map((url) => {
      const served = surfaces.filter((surface) => addresses.get(surface) === url)
      return { name: served.join(', '), surfaces: served, pool: openPool(url) }
    })
  }

  /** The database of a surface, where this process works for the surface and knows it. */
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
    connectionString: url,
    max: 8,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    application_name: 'analysis-hub doctor',
  })
  return pool.on('error', () => {})
}
