import type pg from 'pg'

import type { Consumer } from '#bus/consumer'
import { ConsumerRunner } from '#bus/consumer_runner'
import { DeliveryAbandoned } from '#bus/errors'
import type { Message } from '#bus/message'
import { analysisFileConsumer } from '#core/analysis_bucket_files/file_events'
import { analysisBucketConsumer } from '#core/analysis_buckets/bucket_events'
import { buildConsumer, distributionConsumer } from '#core/analysis_life/worker_events'
import { HandBus } from './hand_bus.js'

const CONSUMERS = [
  buildConsumer,
  distributionConsumer,
  analysisBucketConsumer,
  analysisFileConsumer,
]
const silent = { warn() {}, error() {} }

interface Delivered {
  readonly consumer: Consumer
  readonly message: Message
}

/** Delivers messages to the consumers of the platform at least once, as the bus does. */
export class Deliveries {
  readonly #pool: pg.Pool
  readonly #bus = new HandBus()
  readonly #delivered: Delivered[] = []
  #runners: ConsumerRunner[] = []

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async start(): Promise<void> {
    if (this.#runners.length === 0) {
      const options = { bus: this.#bus, pool: this.#pool, logger: silent }
      this.#runners = await Promise.all(
        CONSUMERS.map((consumer) => ConsumerRunner.start(consumer, options))
      )
    }
  }

  async stop(): Promise<void> {
    const runners = this.#runners
    this.#runners = []
    await Promise.all(runners.map((runner) => runner.stop()))
  }

  /** If the process of the consumers dies, the message is redelivered to the next one. */
  async deliver(consumer: Consumer, message: Message): Promise<void> {
    this.#delivered.push({ consumer, message })
    try {
      await this.#bus.deliver(consumer.queue, message)
    } catch (error) {
      if (!(error instanceof DeliveryAbandoned)) {
        throw error
      }
      await this.start()
      await this.#bus.deliver(consumer.queue, message, 'again')
    }
  }

  /** Redelivers a former message whose acknowledgement was lost. */
  async repeat(back: number): Promise<void> {
    const delivered = this.#delivered.at(-1 - back)
    if (delivered) {
      await this.#bus.deliver(delivered.consumer.queue, delivered.message, 'again')
    }
  }
}
