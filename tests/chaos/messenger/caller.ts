import { setTimeout as delay } from 'node:timers/promises'

import type { MailboxOwner } from '#tests/helpers/messenger/mailbox_owners'
import { Wire, wireRequest, type WireAnswer, type WireRequest } from '#tests/helpers/http/wire'

const PAUSE_AFTER_FAILURE_MS = 50

interface CallerOptions {
  /** Addresses of messenger; each may have a path. */
  readonly origins: readonly string[]
  readonly owner: MailboxOwner
}

/**
 * A client with a connection to one of several processes, which moves to the next one if there is no response.
 */
export class Caller {
  readonly #options: CallerOptions
  #wire: Wire | undefined
  #turn = Math.floor(Math.random() * 2)

  constructor(options: CallerOptions) {
    this.#options = options
  }

  /** The response; undefined if the outcome of the request is unknown. */
  async request(request: Omit<WireRequest, 'token'>): Promise<WireAnswer | undefined> {
    const { origins, owner } = this.#options
    const origin = new URL(origins[this.#turn % origins.length]!)
    const path = origin.pathname.replace(/\/$/, '') + request.path
    try {
      this.#wire ??= await Wire.open(origin.href)
      const answer = await this.#wire.ask(wireRequest({ ...request, path, token: owner.token }))
      if (answer.status < 500) {
        return answer
      }
    } catch {
      // The process is down, or was before it responded.
    }
    this.close()
    this.#turn += 1
    await delay(PAUSE_AFTER_FAILURE_MS)
    return undefined
  }

  close(): void {
    this.#wire?.close()
    this.#wire = undefined
  }
}
