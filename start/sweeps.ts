import type { Logger } from '@adonisjs/core/logger'

import { surfacesOf } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { JobContext, RunningJob } from '#jobs/running_job'
import type { Sweep } from '#jobs/sweep'
import { Sweeper } from '#jobs/sweeper'
import { inboxSweep, outboxSweep } from '#outbox/sweeps'
import type { SurfaceName } from '#configuration/surfaces'
import { env } from './env.js'

/** What each surface wants removed in time; loaded only where the surface's work is done. */
const SWEEPS: Partial<Record<SurfaceName, (logger: Logger) => Promise<readonly Sweep[]>>> = {
  core: async (logger) => {
    const { coreSweeps } = await import('#core/background')
    return coreSweeps(logger)
  },
  identity: async () => {
    const { identitySweep } = await import('#identity/embedded/sweep')
    return [identitySweep]
  },
  storage: async (logger) => {
    const { backgroundSweeps } = await import('#storage/background')
    return backgroundSweeps(logger)
  },
  telemetry: async () => {
    const { eventSweep } = await import('#telemetry/events/sweep')
    return [eventSweep]
  },
}

/**
 * Starts the sweeps of the surfaces this process works for.
 */
export async function start({ app }: JobContext): Promise<RunningJob> {
  const surfaces = surfacesOf(env)
  const logger = await app.container.make('logger')
  const sweeps = await Promise.all(surfaces.map((surface) => SWEEPS[surface]?.(logger) ?? []))
  const sweeper = new Sweeper({
    sweeps: [...sweeps.flat(), outboxSweep, inboxSweep],
    pool: pools.for(databaseUrl(surfaces[0]!)),
    logger,
  })
  sweeper.start()
  return sweeper
}
