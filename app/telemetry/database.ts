import { databaseUrl } from '#database/addresses'
import type { DatabasePool } from '#database/database_pool'
import { pools } from '#database/pools'

/** The connections to the database of the telemetry surface. */
export const telemetryPool = (): DatabasePool => pools.for(databaseUrl('telemetry'))
