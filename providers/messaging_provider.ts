import type { ApplicationService } from '@adonisjs/core/types'

import { SecuritySink } from '#audit/security_event'
import { SecurityAudit } from '#audit/security_audit'
import type { Bus } from '#bus/bus'
import { openBus, requireReady } from '#bus/open_bus'
import { health } from '#observability/health'
import { onOutboxWritten, OUTBOX_TOPIC } from '#outbox/wakeups'
import { changeOutbox, securityOutbox } from '#outbox/publish'
import { Realtime } from '#realtime/realtime'
import { EventSink } from '#records/events'
import { openSignals } from '#signals/open_signals'
import type { Signals } from '#signals/signals'
import { env } from '#start/env'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    /** The bus, opened at its first use. A process that only answers requests never opens it. */
    bus: Bus
    /** How this process and the others wake each other. */
    signals: Signals
  }
}

/**
 * Wires what tells others of what happens here: changes and security events go to the outbox, and this process to the bus,
 * the signals and the sockets of the others. Ends all that in the opposite order.
 */
export default class MessagingProvider {
  #signals: Signals | undefined
  #bus: Bus | undefined
  #realtime: Realtime | undefined
  readonly #disposers: (() => void)[] = []

  constructor(protected app: ApplicationService) {}

  register() {
    const { container } = this.app
    container.bindValue(EventSink, changeOutbox)
    container.bindValue(SecuritySink, securityOutbox)
    container.singleton(SecurityAudit, async (resolver) => {
      const sink = await resolver.make(SecuritySink)
      return new SecurityAudit(sink, await resolver.make('logger'))
    })
    container.singleton('signals', async (resolver) => {
      return (this.#signals = await openSignals(await resolver.make('logger')))
    })
    container.singleton('bus', async (resolver) => this.#openBus(await resolver.make('logger')))
    container.singleton(Realtime, async () => (this.#realtime = await Realtime.open()))
  }

  async boot() {
    const signals = await this.app.container.make('signals')
    this.#disposers.push(onOutboxWritten(() => signals.notify(OUTBOX_TOPIC)))
    await this.app.container.make(Realtime)
  }

  async shutdown() {
    const notes = await this.app.container.make(SecurityAudit)
    await notes.flush()
    this.#disposers.splice(0).forEach((end) => end())
    this.#realtime?.close()
    await this.#bus?.close()
    await this.#signals?.close()
  }

  /** Requests are answered without a broker, so it is missed only where nothing but jobs is done. */
  async #openBus(logger: Parameters<typeof openBus>[0]): Promise<Bus> {
    const bus = await openBus(logger)
    this.#bus = bus
    if (env.SURFACES.length === 0) {
      this.#disposers.push(health.watch('bus', () => requireReady(bus)))
    }
    return bus
  }
}
