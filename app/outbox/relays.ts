import type { Logger } from '@adonisjs/core/logger'

import { databaseUrl } from '#database/addresses'
import { databaseOwners } from '#database/bus_connections'
import type { SurfaceName } from '#configuration/surfaces'
import type { Signals } from '#signals/signals'
import { createDestinations, type Transports } from './destinations.js'
import { Relay } from './relay.js'
import { OUTBOX_TOPIC } from './wakeups.js'

interface RelaysOptions extends Transports {
  readonly signals: Signals
  readonly surfaces: readonly SurfaceName[]
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/** Starts a relay for each database of the given surfaces. It publishes unless another process already does. */
export async function startRelays(options: RelaysOptions): Promise<{ stop(): Promise<void> }> {
  const { surfaces, signals, logger } = options
  const destinations = createDestinations(options)
  const relays = databaseOwners(surfaces).map(
    (name) => new Relay({ url: databaseUrl(name), name, destinations, logger })
  )
  const stopListening = await signals.onNotification(OUTBOX_TOPIC, () =>
    relays.forEach((it) => it.notify())
  )
  relays.forEach((relay) => relay.start())
  return {
    async stop() {
      await stopListening()
      await Promise.all(relays.map((relay) => relay.stop()))
    },
  }
}
