import type { ApplicationService } from '@adonisjs/core/types'

import { Signals } from '#signals/signals'
import { RateLimiter } from '#http/rate_limiter'
import { Wakeups } from '#messenger/delivery/wakeups'
import { Realtime } from '#realtime/realtime'
import { env } from '#start/env'

/**
 * Serves the older socket relay of messenger. The relay can be removed together with this provider.
 */
export default class RelayProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    if (!env.LEGACY_SOCKET_RELAY) {
      return
    }
    const { container } = this.app
    const realtime = await container.make(Realtime)
    realtime.serveAt('messenger', async (options) => {
      const { Relay } = await import('#messenger/relay/relay')
      const signals = await container.make(Signals)
      const [wakeups, limiter] = [await container.make(Wakeups), await container.make(RateLimiter)]
      return Relay.open({ ...options, signals, wakeups, limiter })
    })
  }
}
