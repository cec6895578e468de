import { runAsLeader } from '#jobs/leader_election'
import { pools } from '#database/pools'
import { databaseUrl } from '#database/addresses'
import { AdoptionRefused } from './adoption_refused.js'
import type { Service } from './transfer.js'

/** Runs only one migration per database at a time. */
export async function runExclusively<T>(
  service: Service,
  work: (lost: AbortSignal) => Promise<T>
): Promise<T> {
  const pool = pools.for(databaseUrl(service))
  const done = await runAsLeader(pool, 'hub:adopt', async (lost) => ({ result: await work(lost) }))
  if (!done) {
    throw new AdoptionRefused('Another migration is running: wait for it, or stop it')
  }
  return done.result
}
