import { defineConfig } from '@adonisjs/lucid'
import type { PostgreConfig } from '@adonisjs/lucid/types/database'

import { surfacesOf } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import { busConnection, migrationTable } from '#database/bus_connections'
import { pools } from '#database/pools'
import { sharedPool } from '#database/shared_pool'
import type { SurfaceName } from '#configuration/surfaces'
import { env } from '#start/env'

/** Connections to the databases of this process's surfaces, and to that of the embedded provider. */
const surfaces = surfacesOf(env)
const provider: SurfaceName[] = env.IDENTITY_URL === undefined ? ['identity'] : []
const connections = Object.fromEntries(
  [...surfaces, ...provider].flatMap((surface) => [
    [surface, connectionOf(surface, surface)],
    [busConnection(surface), connectionOf(surface, 'bus')],
  ])
)

export default defineConfig({ connection: surfaces[0]!, connections })

/** A connection to the database of a surface, for the tables in one folder of migrations. */
function connectionOf(surface: SurfaceName, folder: SurfaceName | 'bus'): PostgreConfig {
  const connection = {
    client: 'pg' as const,
    connectionPool: sharedPool(() => pools.for(databaseUrl(surface))),
    migrations: {
      naturalSort: true,
      paths: [`database/migrations/${folder}`],
      tableName: migrationTable(folder),
    },
    schemaGeneration: { enabled: false },
  }
  return connection
}
