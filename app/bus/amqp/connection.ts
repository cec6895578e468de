import type { RecoveringChannelModel } from 'amqplib'

import type { BusLogger } from '#bus/bus'

/** Two beats without an answer, and the connection counts as lost. */
const HEARTBEAT_S = 5
const CONNECT_LIMIT_MS = 5_000
const CLOSE_LIMIT_MS = 2_000

/**
 * A connection to RabbitMQ that is made again whenever it was lost. The client library is loaded only here, so that an
 * installation without a broker does not carry it.
 */
export class AmqpConnection {
  readonly #model: RecoveringChannelModel
  #isBlocked = false

  static async open(url: string, logger: BusLogger): Promise<AmqpConnection> {
    const { connect } = await import('amqplib')
    const model = await connect(withHeartbeat(url), {
      timeout: CONNECT_LIMIT_MS,
      noDelay: true,
      clientProperties: { connection_name: 'analysis-hub' },
      recovery: { waitForConnect: false, initialDelay: 100, maxDelay: 2_000, jitter: 0.5 },
    })
    return new AmqpConnection(model, logger)
  }

  private constructor(model: RecoveringChannelModel, logger: BusLogger) {
    this.#model = model
    let isDisconnected = false
    const onDisconnect = (error: Error) => {
      this.#isBlocked = false
      if (!isDisconnected) {
        isDisconnected = true
        logger.warn(
          { err: error },
          'the message broker is away; connecting is tried again until it is back'
        )
      }
    }
    model.on('disconnect', onDisconnect)
    model.on('connect-failed', onDisconnect)
    model.on('connect', () => {
      if (isDisconnected) {
        isDisconnected = false
        logger.info('the message broker is back')
      }
    })
    model.on('blocked', (reason) => {
      this.#isBlocked = true
      logger.warn({ reason }, 'the message broker takes no messages now')
    })
    model.on('unblocked', () => (this.#isBlocked = false))
    // Told once more as "disconnect"; without a listener that would end the process.
    model.on('error', () => {})
  }

  /** Whether the broker refuses to be written to, mostly because its disk or memory is full. */
  get isBlocked(): boolean {
    return this.#isBlocked
  }

  /** Waits for the connection where it is being made. */
  get channels(): Pick<RecoveringChannelModel, 'createChannel' | 'createConfirmChannel'> {
    return this.#model
  }

  /** Closes it in good order, or without the broker where that does not answer. */
  async close(): Promise<void> {
    const limit = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref())
    await Promise.race([this.#model.close(), limit])
  }
}

function withHeartbeat(url: string): string {
  const address = new URL(url)
  if (!address.searchParams.has('heartbeat')) {
    address.searchParams.set('heartbeat', String(HEARTBEAT_S))
  }
  return address.href
}
