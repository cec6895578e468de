import type pg from 'pg'

import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'

/** The connections to the provider's own database. */
export const identityPool = (): pg.Pool => pools.for(databaseUrl('identity'))
