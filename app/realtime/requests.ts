import type { Logger } from '@adonisjs/core/logger'

import { BadRequest, RateLimited } from '#kernel/failures'

import { told } from './admission.js'

/** More than any client has under way; what is asked beyond is not kept in memory. */
const MOST_WAITING = 10_000

type Acknowledge = (failure: ReturnType<typeof told> | null, ...answer: unknown[]) => void

/** Does what an event asks for, and answers what the one who asked is told, if anything. */
export type Perform = (event: string, content: unknown) => unknown

/**
 * What one socket asks for. It is answered one after the other, so that no request overtakes the one it takes back.
 */
export class Requests {
  readonly #perform: Perform
  readonly #logger: Pick<Logger, 'error'>
  readonly #mostWaiting: number
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(perform: Perform, logger: Pick<Logger, 'error'>, mostWaiting = MOST_WAITING) {
    this.#perform = perform
    this.#logger = logger
    this.#mostWaiting = mostWaiting
  }

  add(event: string, args: readonly unknown[]): void {
    const [content] = args.filter((arg) => typeof arg !== 'function')
    // Clients put a callback of their own in between, so the one that answers is the last.
    const acknowledge = args.findLast((arg) => typeof arg === 'function') as Acknowledge | undefined
    if (this.#waiting >= this.#mostWaiting) {
      acknowledge?.(told(new RateLimited(1), this.#logger))
      return
    }
    this.#waiting += 1
    this.#last = this.#last.then(async () => {
      await this.#answer(event, content, acknowledge)
      this.#waiting -= 1
    })
  }

  async #answer(event: string, content: unknown, acknowledge?: Acknowledge): Promise<void> {
    try {
      const answer = await this.#perform(event, content)
      acknowledge?.(null, ...(answer === undefined ? [] : [answer]))
    } catch (error) {
      acknowledge?.(told(error, this.#logger))
    }
  }
}

/** For an event that nothing answers to. */
export function nothingAnswers(): never {
  throw new BadRequest('Nothing in this namespace answers to an event of this name')
}
