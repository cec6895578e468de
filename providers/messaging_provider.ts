import type { ApplicationService } from '@adonisjs/core/types'

import { SecuritySink } from '#audit/security_event'
import { SecurityAudit } from '#audit/security_audit'
import { Bus, type BusLogger } from '#bus/bus'
import { openBus, requireReady } from '#bus/open_bus'
import { health } from '#observability/health'
import { onOutboxWritten, OUTBOX_TOPIC } from '#outbox/wakeups'
import { changeOutbox, securityOutbox } from '#outbox/publish'
import { Realtime } from '#realtime/realtime'
import { EventSink } from '#records/events'
import { openSignals } from '#signals/open_signals'
import { Signals } from '#signals/signals'
import { env } from '#start/env'
import { makeOnce } from './made_once.js'

const REALTIME = {
  isEnabled: env.REALTIME_ENABLED,
  redisUrl: env.REDIS_URL,
  surfaces: env.SURFACES,
}

/**
 * Binds the outbox, the bus, signals and sockets, and closes them in reverse order. The bus is opened at its first use:
 * a process that only serves requests never opens it.
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
    makeOnce(container, [SecurityAudit])
    container.singleton(Signals, async (resolver) => {
      return (this.#signals = await openSignals(env.REDIS_URL, await resolver.make('logger')))
    })
    container.singleton(Bus, async (resolver) => this.#openBus(await resolver.make('logger')))
    container.singleton(Realtime, async () => (this.#realtime = await Realtime.open(REALTIME)))
  }

  async boot() {
    const signals = await this.app.container.make(Signals)
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

  /** Requests do not need the broker: the outbox keeps what they publish. Processes without surfaces need it. */
  async #openBus(logger: BusLogger): Promise<Bus> {
    const bus = await openBus(env.AMQP_URL, logger, { isLimited: env.WORKER_AMQP_LIMITED })
    this.#bus = bus
    const check = () => requireReady(bus)
    const isRequired = env.SURFACES.length === 0
    const forget = isRequired ? health.watch('bus', check) : health.watchOptional('bus', check)
    this.#disposers.push(forget)
    return bus
  }
}
