import type { DatabasePool } from '#database/database_pool'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'

/** The connections to the database of the core surface. */
export const corePool = (): DatabasePool => pools.for(databaseUrl('core'))
