import type { DatabasePool } from '#database/database_pool'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'

/** The connection pool of the provider's own database. */
export const identityPool = (): DatabasePool => pools.for(databaseUrl('identity'))
