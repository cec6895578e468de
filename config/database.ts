import { defineConfig } from '@adonisjs/lucid'
import type { PostgreConfig } from '@adonisjs/lucid/types/database'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { sharedPool } from '#database/shared_pool'
import { SURFACE_NAMES, type SurfaceName } from '#runtime/surfaces'

const connections = Object.fromEntries(
  SURFACE_NAMES.map((surface) => [surface, connectionOf(surface)])
)

export default defineConfig({ connection: 'core', connections })

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
