import type { RecoveringChannelModel } from 'amqplib'

import type { BusLogger } from '#bus/bus'
import { BrokerAddress, type BrokerHosts } from './broker_hosts.js'

/** In seconds; the connection counts as lost after two missed heartbeats. */
const PARAMETERS = { heartbeat: 5 }
const CONNECT_LIMIT_MS = 5_000
const CLOSE_LIMIT_MS = 2_000

/**
 * A connection to RabbitMQ that reconnects, to the next host if there are several. The client library is loaded only
 * here, so that installations without a broker do not load it.
 */
export class AmqpConnection {
  readonly #model: RecoveringChannelModel
  #isBlocked = false

  static async open(url: string, hosts: BrokerHosts, logger: BusLogger): Promise<AmqpConnection> {
    const { connect } = await import('amqplib')
    const address = new BrokerAddress(url, hosts, PARAMETERS)
    const model = await connect(address, {
      timeout: CONNECT_LIMIT_MS,
      noDelay: true,
      clientProperties: { connection_name: 'analysis-hub' },
      recovery: { waitForConnect: false, initialDelay: 100, maxDelay: 2_000, jitter: 0.5 },
    })
    const leaveHost = () => hosts.suspect(address.attempted)
    model.on('disconnect', leaveHost)
    model.on('connect-failed', leaveHost)
    return new AmqpConnection(model, logger)
  }

  private constructor(model: RecoveringChannelModel, logger: BusLogger) {
    this.#model = model
    let isDisconnected = false
    const onDisconnect = (error: Error) => {
      this.#isBlocked = false
      if (!isDisconnected) {
        isDisconnected = true
        logger.warn({ err: error }, 'the message broker is unavailable; reconnecting')
      }
    }
    model.on('disconnect', onDisconnect)
    model.on('connect-failed', onDisconnect)
    model.on('connect', () => {
      if (isDisconnected) {
        isDisconnected = false
        logger.info('reconnected to the message broker')
      }
    })
    model.on('blocked', (reason) => {
      this.#isBlocked = true
      logger.warn({ reason }, 'the message broker has blocked publishing')
    })
    model.on('unblocked', () => (this.#isBlocked = false))
    // Also reported as "disconnect"; without a listener it would end the process.
    model.on('error', () => {})
  }

  /** Whether the broker has blocked publishing, mostly because it is short of disk or memory. */
  get isBlocked(): boolean {
    return this.#isBlocked
  }

  /** Channel creation waits while the connection is being established. */
  get channels(): Pick<RecoveringChannelModel, 'createChannel' | 'createConfirmChannel'> {
    return this.#model
  }

  /** Closes the connection; gives up on an unresponsive broker after a timeout. */
  async close(): Promise<void> {
    const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref())
    await Promise.race([this.#model.close(), limit])
  }
}
