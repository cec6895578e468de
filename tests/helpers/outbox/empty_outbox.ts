import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'

/** What tests before this one wrote stays unsaid: a relay that is started would first tell of thousands of records. */
export async function emptyOutbox(): Promise<void> {
  await pools.for(databaseUrl('core')).query('delete from outbox')
}
