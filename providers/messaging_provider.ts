import type { ApplicationService } from '@adonisjs/core/types'

import { closeBus } from '#bus/current'
import { WAKE_TOPIC, wakeRelayBy } from '#outbox/waking'
import { changeOutbox, securityOutbox } from '#outbox/write'
import { closeRealtime, openRealtime } from '#realtime/current'
import { useEventSink } from '#records/event_sink'
import { useSecuritySink } from '#records/security_events'
import { openSignals, signals } from '#signals/current'
import { env } from '#start/env'

/**
 * Wires what tells others of what happens here: changes go to the outbox, and this process to the signals and sockets of
 * the others.
 */
export default class MessagingProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    useEventSink(changeOutbox)
    useSecuritySink(securityOutbox)
    await openSignals(await this.app.container.make('logger'))
    wakeRelayBy(() => signals.wake(WAKE_TOPIC))
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
