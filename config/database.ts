import { defineConfig } from '@adonisjs/lucid'
import type { PostgreConfig } from '@adonisjs/lucid/types/database'

import { surfacesOf } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { sharedPool } from '#database/shared_pool'
import type { SurfaceName } from '#runtime/surfaces'
import { env } from '#start/env'

/** A process knows the databases of the surfaces it works for, and no others. */
const surfaces = surfacesOf(env)
const connections = Object.fromEntries(surfaces.map((surface) => [surface, connectionOf(surface)]))

export default defineConfig({ connection: surfaces[0]!, connections })

function connectionOf(surface: SurfaceName): PostgreConfig {
  const connection = {
    client: 'pg' as const,
    connectionPool: sharedPool(pools.for(databaseUrl(surface))),
    migrations: {
      naturalSort: true,
      paths: [`database/migrations/${surface}`],
      tableName: `${surface}_migrations`,
    },
    schemaGeneration: { enabled: false },
  }
  return connection
}
