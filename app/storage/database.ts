import type { DatabasePool } from '#database/database_pool'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'

/** The connections to the database of the storage surface. */
export const storagePool = (): DatabasePool => pools.for(databaseUrl('storage'))
