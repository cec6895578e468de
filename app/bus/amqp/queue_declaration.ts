import type { Channel, Options } from 'amqplib'

const PRECONDITION_FAILED = 406

/** Whether a declaration was refused because the thing is there, made differently; the channel is closed then. */
export function isDeclarationMismatch(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === PRECONDITION_FAILED
}

/**
 * Declares a queue, channel after channel. One that another program has declared differently is taken as it is: to have no
 * consumer would be worse.
 */
export class QueueDeclaration {
  readonly #queue: string
  readonly #options: Options.AssertQueue
  #isForeign = false

  constructor(queue: string, options: Options.AssertQueue) {
    this.#queue = queue
    this.#options = options
  }

  /** Throws where the channel did not survive it; the next channel then has better luck. */
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
