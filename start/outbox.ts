import { openBus } from '#bus/current'
import { surfacesOf } from '#configuration/processes'
import type { JobContext, RunningJob } from '#jobs/running_job'
import { startRelays } from '#outbox/relays'
import { realtime } from '#realtime/current'
import { signals } from '#signals/current'
import { env } from './env.js'

/**
 * Publishes what the surfaces this process works for keep in their outboxes.
 */
export async function start({ app }: JobContext): Promise<RunningJob> {
  const logger = await app.container.make('logger')
  const bus = await openBus(logger)
  return startRelays({ surfaces: surfacesOf(env), bus, signals, realtime, logger })
}
