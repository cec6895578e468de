import type { Logger } from '@adonisjs/core/logger'

import type { Consumer } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { openBus } from '#bus/current'
import { surfacesOf } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { JobContext, RunningJob } from '#jobs/running_job'
import type { SurfaceName } from '#configuration/surfaces'
import { env } from './env.js'

/** What each surface takes from the bus; loaded only where the surface's work is done. */
const CONSUMERS: Partial<Record<SurfaceName, () => Promise<readonly Consumer[]>>> = {
  core: async () => {
    const { registryConsumer } = await import('#core/registries/consumer')
    return [registryConsumer]
  },
  storage: async () => {
    const { bucketConsumer } = await import('#storage/buckets/tasks')
    return [bucketConsumer]
  },
  telemetry: async () => {
    const { eventConsumer } = await import('#telemetry/events/consumer')
    return [eventConsumer]
  },
}

/** What each surface follows beside the bus. */
const FOLLOWERS: Partial<Record<SurfaceName, (logger: Logger) => Promise<RunningJob>>> = {
  core: async (logger) => {
    const { followIdentities } = await import('#core/background')
    return followIdentities(logger)
  },
  storage: async (logger) => {
    const { followRealms } = await import('#storage/background')
    return followRealms(logger)
  },
}

/** The consumers of the surfaces this process works for. */
export async function registeredConsumers(): Promise<readonly Consumer[]> {
  const consumers = await Promise.all(
    surfacesOf(env).map((surface) => CONSUMERS[surface]?.() ?? [])
  )
  return consumers.flat()
}

/**
 * Starts the consumers of the surfaces this process works for. They begin with the first message the broker has for them,
 * also where it is away now.
 */
export async function start({ app }: JobContext): Promise<RunningJob> {
  const logger = await app.container.make('logger')
  const bus = await openBus(logger)
  const running = await startFollowing(logger)
  for (const consumer of await registeredConsumers()) {
    const pool = pools.for(databaseUrl(consumer.surface))
    running.push(await ConsumerRunner.start(consumer, { bus, pool, logger }))
  }
  return {
    async stop() {
      await Promise.all(running.map((runner) => runner.stop()))
    },
  }
}

async function startFollowing(logger: Logger): Promise<RunningJob[]> {
  const started = await Promise.all(
    surfacesOf(env).map((surface) => FOLLOWERS[surface]?.(logger) ?? [])
  )
  return started.flat()
}
