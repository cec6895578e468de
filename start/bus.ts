import type { Logger } from '@adonisjs/core/logger'

import { Bus } from '#bus/bus'
import type { Consumer } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { WORKER_QUEUES } from '#bus/names'
import { surfacesOf } from '#configuration/processes'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import type { JobContext, RunningJob } from '#jobs/running_job'
import type { SurfaceName } from '#configuration/surfaces'
import { env } from './env.js'

/** The consumers of each surface, loaded only if the process works for it. */
const CONSUMERS: Partial<Record<SurfaceName, () => Promise<readonly Consumer[]>>> = {
  core: async () => {
    const { coreConsumers } = await import('#core/consumers')
    return coreConsumers
  },
  storage: async () => {
    const { bucketConsumer } = await import('#storage/buckets/bucket_consumer')
    return [bucketConsumer]
  },
  telemetry: async () => {
    const { eventConsumer } = await import('#telemetry/events/event_consumer')
    return [eventConsumer]
  },
}

/** Other background jobs of each surface. */
const BACKGROUND_JOBS: Partial<Record<SurfaceName, (logger: Logger) => Promise<RunningJob>>> = {
  core: async (logger) => {
    const { startCoreWorkers } = await import('#core/background')
    return startCoreWorkers(logger)
  },
  identity: async (logger) => {
    const { startLogoutNotifications: announceLogouts } =
      await import('#identity/embedded/logout/logout_notifications')
    return announceLogouts(logger)
  },
  messenger: async (logger) => {
    const { reactToIdentityChanges } = await import('#messenger/background')
    return reactToIdentityChanges(logger)
  },
  storage: async (logger) => {
    const { reactToRealmChanges } = await import('#storage/background')
    return reactToRealmChanges(logger)
  },
  telemetry: async (logger) => {
    const { startLogIngest } = await import('#telemetry/logs/background')
    return startLogIngest(logger)
  },
}

/** The consumers of this process's surfaces. */
export async function registeredConsumers(): Promise<readonly Consumer[]> {
  const consumers = await Promise.all(
    surfacesOf(env).map((surface) => CONSUMERS[surface]?.() ?? [])
  )
  return consumers.flat()
}

/** Queues with dead letters, and the surface whose database stores those of a memory bus. */
export async function queuesWithDead(): Promise<readonly Pick<Consumer, 'queue' | 'surface'>[]> {
  const isOfCore = surfacesOf(env).includes('core')
  const ofWorker = isOfCore
    ? WORKER_QUEUES.map((queue) => ({ queue, surface: 'core' }) as const)
    : []
  return [...(await registeredConsumers()), ...ofWorker]
}

/**
 * Starts the consumers of this process's surfaces. If the broker is unavailable, they start when it returns.
 */
export async function start({ app }: JobContext): Promise<RunningJob> {
  const logger = await app.container.make('logger')
  const bus = await app.container.make(Bus)
  bus.admitWorkers()
  const running = await startBackgroundJobs(logger)
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

async function startBackgroundJobs(logger: Logger): Promise<RunningJob[]> {
  const started = await Promise.all(
    surfacesOf(env).map((surface) => BACKGROUND_JOBS[surface]?.(logger) ?? [])
  )
  return started.flat()
}
