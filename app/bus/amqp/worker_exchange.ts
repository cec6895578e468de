import type { Channel } from 'amqplib'

import type { BusLogger } from '#bus/bus'
import { deadQueueOf, WORKER_EXCHANGE, WORKER_QUEUES, WORKER_TARGETS } from '#bus/names'
import type { AmqpConnection } from './connection.js'
import { isDeclarationMismatch } from './queue_declaration.js'
import { ReconnectingChannel } from './reconnecting_channel.js'

/**
 * Declares what a worker with an account of its own uses, so that this account may declare nothing: the queues of its
 * commands, and an exchange that leads to its dead letters and to the log only. Whoever may write to the default exchange
 * reaches every queue.
 */
export class WorkerExchange {
  readonly #channel: ReconnectingChannel<Channel>
  /** Queues that exist with other arguments, whose declaration closed a channel. */
  readonly #foreign = new Set<string>()

  constructor(connection: AmqpConnection, logger: BusLogger) {
    this.#channel = new ReconnectingChannel({
      open: () => connection.channels.createChannel(),
      prepare: (channel) => this.#declare(channel),
      logger,
    })
  }

  async close(): Promise<void> {
    await this.#channel.close()
  }

  async #declare(channel: Channel): Promise<void> {
    await channel.assertExchange(WORKER_EXCHANGE, 'direct', { durable: true })
    const targets = [...WORKER_TARGETS, ...WORKER_QUEUES.map(deadQueueOf)]
    for (const queue of [...WORKER_QUEUES, ...targets]) {
      await this.#declareQueue(channel, queue)
    }
    for (const queue of targets) {
      await channel.bindQueue(queue, WORKER_EXCHANGE, queue)
    }
  }

  async #declareQueue(channel: Channel, queue: string): Promise<void> {
    if (this.#foreign.has(queue)) {
      return
    }
    try {
      await channel.assertQueue(queue, { durable: true })
    } catch (error) {
      if (isDeclarationMismatch(error)) {
        this.#foreign.add(queue)
      }
      throw error
    }
  }
}
