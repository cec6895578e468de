import type { Logger } from '@adonisjs/core/logger'

import { BadRequest } from '#kernel/failures'

import { toErrorEnvelope } from './authenticate_socket.js'
import type { IncomingFlow } from './incoming_flow.js'

type Acknowledge = (
  failure: ReturnType<typeof toErrorEnvelope> | null,
  ...answer: unknown[]
) => void

/** Does what an event asks for, and answers what the one who asked is told, if anything. */
export type RequestHandler = (event: string, content: unknown) => unknown

/**
 * What one socket asks for. It is answered one after the other, so that no request overtakes the one it takes back. While too much waits,
 * nothing more is read of its connection.
 */
export class RequestQueue {
  readonly #handler: RequestHandler
  readonly #logger: Pick<Logger, 'error'>
  readonly #flow: IncomingFlow
  #last: Promise<void> = Promise.resolve()

  constructor(perform: RequestHandler, logger: Pick<Logger, 'error'>, flow: IncomingFlow) {
    this.#handler = perform
    this.#logger = logger
    this.#flow = flow
  }

  add(event: string, args: readonly unknown[]): void {
    const [content] = args.filter((arg) => typeof arg !== 'function')
    // Clients put a callback of their own in between, so the one that answers is the last.
    const acknowledge = args.findLast((arg) => typeof arg === 'function') as Acknowledge | undefined
    this.#flow.startRequest()
    this.#last = this.#last.then(async () => {
      await this.#respond(event, content, acknowledge)
      this.#flow.finishRequest()
    })
  }

  async #respond(event: string, content: unknown, acknowledge?: Acknowledge): Promise<void> {
    try {
      const answer = await this.#handler(event, content)
      acknowledge?.(null, ...(answer === undefined ? [] : [answer]))
    } catch (error) {
      acknowledge?.(toErrorEnvelope(error, this.#logger))
    }
  }
}

/** For an event that nothing answers to. */
export function rejectUnknownEvent(): never {
  throw new BadRequest('Nothing in this namespace answers to an event of this name')
}
