import { Bus } from '#bus/bus'
import { Signals } from '#signals/signals'
import { surfacesOf } from '#configuration/processes'
import type { JobContext, RunningJob } from '#jobs/running_job'
import { startRelays } from '#outbox/relays'
import { Realtime } from '#realtime/realtime'
import { env } from './env.js'

/**
 * Publishes the outboxes of this process's surfaces.
 */
export async function start({ app }: JobContext): Promise<RunningJob> {
  return startRelays({
    surfaces: surfacesOf(env),
    bus: await app.container.make(Bus),
    signals: await app.container.make(Signals),
    realtime: await app.container.make(Realtime),
    logger: await app.container.make('logger'),
  })
}
