import type { Logger } from '@adonisjs/core/logger'

import { surfacesOf } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import { databaseOwners } from '#database/bus_connections'
import type { DatabasePool } from '#database/database_pool'
import { pools } from '#database/pools'
import { electionOn } from '#jobs/leader_election'
import type { JobContext, RunningJob } from '#jobs/running_job'
import type { LongSweep, Sweep } from '#jobs/sweep'
import { Sweeper } from '#jobs/sweeper'
import { inboxSweep, outboxSweep } from '#outbox/sweeps'
import { TotalsConsolidation } from '#records/totals/totals_consolidation'
import { totalsComparison } from '#records/totals/totals_comparison'
import { HeadAnchor } from '#telemetry/trail/head_anchor'
import type { SurfaceName } from '#configuration/surfaces'
import { env } from './env.js'

type Application = JobContext['app']

/** The sweeps of each surface, loaded only if the process works for it. */
const SWEEPS: Partial<
  Record<SurfaceName, (logger: Logger, app: Application) => Promise<readonly (Sweep | LongSweep)[]>>
> = {
  core: async (logger) => {
    const { coreSweeps } = await import('#core/background')
    return coreSweeps(logger)
  },
  identity: async () => {
    const { identitySweep } = await import('#identity/embedded/sweep')
    return [identitySweep]
  },
  messenger: async (logger) => {
    const { messengerSweeps } = await import('#messenger/background')
    return messengerSweeps(logger)
  },
  storage: async (logger) => {
    const { backgroundSweeps } = await import('#storage/background')
    return backgroundSweeps(logger)
  },
  telemetry: async (logger, { container }) => {
    const { eventSweep } = await import('#telemetry/events/event_sweep')
    const { anchorSweep } = await import('#telemetry/trail/anchor_sweep')
    return [anchorSweep(await container.make(HeadAnchor)), eventSweep(logger)]
  },
}

/** The sweeps of this process's surfaces, whether it runs them or not. */
export async function registeredSweeps(app: Application): Promise<(Sweep | LongSweep)[]> {
  const logger = await app.container.make('logger')
  const sweeps = await Promise.all(
    surfacesOf(env).map((surface) => SWEEPS[surface]?.(logger, app) ?? [])
  )
  return [...sweeps.flat(), outboxSweep, inboxSweep, totalsComparison(logger)]
}

/** The database that holds the locks of sweeps. */
export const sweepPool = (): DatabasePool => pools.for(databaseUrl(surfacesOf(env)[0]!))

/**
 * Starts the sweeps of this process's surfaces, and the aggregation of their totals.
 */
export async function start({ app }: JobContext): Promise<RunningJob> {
  const surfaces = surfacesOf(env)
  const logger = await app.container.make('logger')
  const sweeps = await registeredSweeps(app)
  const sweeper = new Sweeper({ sweeps, leaderElection: electionOn(sweepPool()), logger })
  sweeper.start()
  const databases = databaseOwners(surfaces).map((surface) => pools.for(databaseUrl(surface)))
  const addingUp = TotalsConsolidation.start({ pools: databases, logger })
  return {
    async stop() {
      await Promise.all([sweeper.stop(), addingUp.stop()])
    },
  }
}
