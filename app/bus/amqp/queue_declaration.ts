import type { Channel, Options } from 'amqplib'

const PRECONDITION_FAILED = 406

/** Whether a declaration failed because the queue exists with other arguments; its channel is closed then. */
export function isDeclarationMismatch(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === PRECONDITION_FAILED
}

/**
 * Declares a queue on each new channel. If another program declared it with other arguments, the queue is used as it
 * is.
 */
export class QueueDeclaration {
  readonly #queue: string
  readonly #options: Options.AssertQueue
  #isForeign = false

  constructor(queue: string, options: Options.AssertQueue) {
    this.#queue = queue
    this.#options = options
  }

  /** Throws if the declaration closed the channel; it succeeds on the next one. */
  async declareOn(channel: Channel): Promise<void> {
    try {
      await (this.#isForeign
        ? channel.checkQueue(this.#queue)
        : channel.assertQueue(this.#queue, this.#options))
    } catch (error) {
      this.#isForeign = isDeclarationMismatch(error)
      throw error
    }
  }
}
