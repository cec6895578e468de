import type { Bus, BusLogger, Delivery, Subscription } from '#bus/bus'
import type { Message } from '#bus/message'
import { busMetrics } from '#bus/metrics'
import { BrokerHosts } from './broker_hosts.js'
import { AmqpConnection } from './connection.js'
import { hasConsumers } from './has_consumers.js'
import { AmqpPublisher } from './publisher.js'
import { AmqpSubscription } from './subscription.js'
import { WorkerExchange } from './worker_exchange.js'

interface AmqpBusOptions {
  /** Whether the account is that of a worker, which may declare nothing and send only what workers send. */
  readonly isLimited?: boolean
}

/**
 * The bus on RabbitMQ. It publishes and consumes on separate connections: a broker that is short of memory stops
 * reading from publishers, and consumers must still be able to acknowledge.
 */
export class AmqpBus implements Bus {
  readonly #url: string
  /** The hosts that both connections use. */
  readonly hosts: BrokerHosts
  readonly #logger: BusLogger
  readonly #publishing: AmqpConnection
  readonly #publisher: AmqpPublisher
  readonly #subscriptions = new Set<AmqpSubscription>()
  readonly #isLimited: boolean
  #consuming: Promise<AmqpConnection> | undefined
  #workers: WorkerExchange | undefined

  /** Does not wait for the broker; the connection is retried in the background. */
  static async open(
    url: string,
    logger: BusLogger,
    { isLimited = false }: AmqpBusOptions = {}
  ): Promise<AmqpBus> {
    const hosts = new BrokerHosts(url)
    const publishing = await AmqpConnection.open(url, hosts, logger)
    return new AmqpBus(url, hosts, logger, publishing, isLimited)
  }

  private constructor(
    url: string,
    hosts: BrokerHosts,
    logger: BusLogger,
    publishing: AmqpConnection,
    isLimited: boolean
  ) {
    this.#url = url
    this.hosts = hosts
    this.#logger = logger
    this.#publishing = publishing
    this.#isLimited = isLimited
    this.#publisher = new AmqpPublisher(publishing, logger, { isLimited })
  }

  get isReady(): boolean {
    return (
      this.#publisher.isReady &&
      [...this.#subscriptions].every((subscription) => subscription.isReady)
    )
  }

  /** A single channel keeps all messages in order, so `orderedBy` is not needed. */
  publish(message: Message): Promise<void> {
    return busMetrics.countPublish(message.metadata.routing.type, this.#publisher.publish(message))
  }

  async subscribe(
    subscription: Subscription,
    deliver: (delivery: Delivery) => Promise<void>
  ): Promise<{ stop(): Promise<void> }> {
    this.#consuming ??= AmqpConnection.open(this.#url, this.hosts, this.#logger)
    const opened = new AmqpSubscription(subscription, deliver, {
      connection: await this.#consuming,
      publisher: this.#publisher,
      logger: this.#logger,
      isLimited: this.#isLimited,
    })
    this.#subscriptions.add(opened)
    return {
      stop: async () => {
        this.#subscriptions.delete(opened)
        await opened.stop()
      },
    }
  }

  hasConsumers(queue: string): Promise<boolean | undefined> {
    return hasConsumers(this.#publishing, queue)
  }

  admitWorkers(): void {
    this.#workers ??= new WorkerExchange(this.#publishing, this.#logger)
  }

  /** Stops the remaining subscriptions and closes the connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.stop()))
    await Promise.all([this.#publisher.close(), this.#workers?.close()])
    await Promise.all([this.#publishing.close(), this.#consuming?.then((it) => it.close())])
  }
}
