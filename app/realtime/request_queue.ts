import type { Logger } from '@adonisjs/core/logger'

import { BadRequest } from '#kernel/failures'

import { toErrorEnvelope } from './authenticate_socket.js'
import type { IncomingFlow } from './incoming_flow.js'

type Acknowledge = (
  failure: ReturnType<typeof toErrorEnvelope> | null,
  ...answer: unknown[]
) => void

/** Handles an event and returns the acknowledgement, if there is one. */
export type RequestHandler = (event: string, content: unknown) => unknown

/**
 * The requests of one socket, handled in order, so that an unsubscription never overtakes its subscription. While too
 * many wait, the connection is not read.
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
    // Clients may pass further callbacks; the last one is the acknowledgement.
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

/** For an event without a handler. */
export function rejectUnknownEvent(): never {
  throw new BadRequest('Unknown event: this namespace has no event of this name')
}
