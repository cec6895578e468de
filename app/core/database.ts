import { DatabasePool } from '#database/database_pool'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'

/** The connection pool of the core database. */
export const corePool = (): DatabasePool => pools.for(databaseUrl('core'))

/** The same for the constructors of services. */
export abstract class CorePool extends DatabasePool {}
