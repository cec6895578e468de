import type { ApplicationService } from '@adonisjs/core/types'

import { closeBus } from '#bus/current'
import { openOutbox } from '#outbox/open'
import { closeRealtime, openRealtime } from '#realtime/current'
import { openSignals, signals } from '#signals/current'
import { env } from '#start/env'

/**
 * Wires what tells others of what happens here: changes go to the outbox, and this process to the signals and sockets of
 * the others.
 */
export default class MessagingProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    await openSignals(await this.app.container.make('logger'))
    openOutbox(signals)
    if (env.REALTIME_ENABLED) {
      await openRealtime()
    }
  }

  async shutdown() {
    closeRealtime()
    await closeBus()
    await signals.close()
  }
}
