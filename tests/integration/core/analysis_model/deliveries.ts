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

/** What the platform's consumers are given, as the bus gives it to them: at least once. */
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

  /** Where the process of the consumers ends over a message, the next one is given it again. */
  async give(consumer: Consumer, message: Message): Promise<void> {
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

  /** Gives what was given before: its process could not say any more that it was done. */
  async repeat(back: number): Promise<void> {
    const delivered = this.#delivered.at(-1 - back)
    if (delivered) {
      await this.#bus.deliver(delivered.consumer.queue, delivered.message, 'again')
    }
  }
}
