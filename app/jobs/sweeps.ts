import { pools } from '#database/pools'
import { databaseUrl } from '#database/addresses'
import type { JobContext, RunningJob } from '#jobs/runner'
import type { Sweep } from '#jobs/sweep'
import { Sweeper } from '#jobs/sweeper'

/** Every sweep of the platform; a surface adds its own here. */
const SWEEPS: readonly Sweep[] = []

export async function start({ app }: JobContext): Promise<RunningJob> {
  const sweeper = new Sweeper({
    sweeps: SWEEPS,
    pool: pools.for(databaseUrl('core')),
    logger: await app.container.make('logger'),
  })
  sweeper.start()
  return sweeper
}
