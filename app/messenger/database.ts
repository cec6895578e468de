import { databaseUrl } from '#database/addresses'
import type { DatabasePool } from '#database/database_pool'
import { pools } from '#database/pools'

/** The connections to the database of the messenger surface. */
export const messengerPool = (): DatabasePool => pools.for(databaseUrl('messenger'))
