import type { ConfirmChannel, GetMessage, Message } from 'amqplib'

import type { DeadLetterSelector, DeadLetter, DeadLetters } from '#bus/dead_letters'
import { deadQueueOf } from '#bus/names'
import { ServiceUnavailable } from '#kernel/failures'
import { connectOnce } from './connect_once.js'
import { deadIdOf, identityOf, readDeadLetter } from './dead_properties.js'

const CONNECT_LIMIT_MS = 5_000

/**
 * Reads the dead letter queues of RabbitMQ, with one connection per call. Messages that are not acknowledged return to
 * their queue when the connection closes.
 */
export class AmqpDeadLetters implements DeadLetters {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  counts(queues: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#withChannel(async (channel) => {
      const counts = new Map<string, number>()
      for (const queue of queues) {
        counts.set(queue, await countIn(channel, queue))
      }
      return counts
    })
  }

  list(queue: string, limit: number): Promise<DeadLetter[]> {
    return this.#withChannel(async (channel) => {
      const letters: DeadLetter[] = []
      for await (const message of deadLettersIn(channel, queue)) {
        letters.push(readDeadLetter(queue, message))
        if (letters.length === limit) {
          break
        }
      }
      return letters
    })
  }

  redrive(queue: string, chosen: DeadLetterSelector): Promise<number> {
    return this.#remove(queue, chosen, (channel, message) => republish(channel, queue, message))
  }

  drop(queue: string, chosen: DeadLetterSelector): Promise<number> {
    return this.#remove(queue, chosen, async () => {})
  }

  /** Processes the selected letters and removes them from the dead letter queue. */
  #remove(
    queue: string,
    chosen: DeadLetterSelector,
    work: (channel: ConfirmChannel, message: GetMessage) => Promise<void>
  ): Promise<number> {
    return this.#withChannel(async (channel) => {
      let removed = 0
      for await (const message of deadLettersIn(channel, queue)) {
        if (chosen === 'all' || chosen.id === deadIdOf(message)) {
          await work(channel, message)
          channel.ack(message)
          removed++
        }
        if (chosen !== 'all' && removed > 0) {
          break
        }
      }
      return removed
    })
  }

  async #withChannel<T>(work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
    const connection = await connectOnce(this.#url, { timeout: CONNECT_LIMIT_MS }).catch(
      rejectUnreachable
    )
    connection.on('error', () => {})
    try {
      const channel = await connection.createConfirmChannel()
      channel.on('error', () => {})
      const result = await work(channel)
      await channel.close()
      return result
    } finally {
      await connection.close().catch(() => {})
    }
  }
}

function rejectUnreachable(cause: unknown): never {
  throw new ServiceUnavailable('The message broker cannot be reached', { cause })
}

async function countIn(channel: ConfirmChannel, queue: string): Promise<number> {
  const { messageCount } = await channel.assertQueue(deadQueueOf(queue), { durable: true })
  return messageCount
}

/** The current letters, without any that arrive meanwhile. */
async function* deadLettersIn(channel: ConfirmChannel, queue: string): AsyncGenerator<GetMessage> {
  const name = deadQueueOf(queue)
  const count = await countIn(channel, queue)
  for (let read = 0; read < count; read++) {
    const message = await channel.get(name)
    if (!message) {
      return
    }
    yield message
  }
}

/** Resolves when the broker has confirmed the message in its original queue. */
async function republish(
  channel: ConfirmChannel,
  queue: string,
  { content, properties }: GetMessage
): Promise<void> {
  let isReturned = false
  const noteReturn = (_message: Message) => (isReturned = true)
  channel.once('return', noteReturn)
  const options = { ...identityOf(properties), persistent: true, mandatory: true }
  await new Promise<void>((resolve, reject) =>
    channel.publish('', queue, content, options, (error) => (error ? reject(error) : resolve()))
  )
  channel.off('return', noteReturn)
  if (isReturned) {
    throw new Error(
      `The queue ${queue} does not exist: start the process that consumes it, then try again`
    )
  }
}
