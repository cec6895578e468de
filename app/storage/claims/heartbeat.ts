import { inject } from '@adonisjs/core'
import { Logger } from '@adonisjs/core/logger'

import { renewClaims } from './claims.js'

/** How long the claims of a crashed process last. */
export const CLAIM_TTL_MS = 30_000

const RENEW_EVERY_MS = 10_000

const NOT_RENEWED = 'the claims of running uploads could not be renewed; the next attempt follows'

/** Renews all claims of this process with one timer and one statement. */
@inject()
export class Heartbeat {
  readonly #logger: Logger
  readonly #ids = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(logger: Logger) {
    this.#logger = logger
  }

  add(id: string): void {
    this.#ids.add(id)
    this.#timer ??= setInterval(() => void this.#renewAll(), RENEW_EVERY_MS).unref()
  }

  remove(ids: readonly string[]): void {
    ids.forEach((id) => this.#ids.delete(id))
    if (this.#ids.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  protected renew(ids: readonly string[], ttlMs: number): Promise<void> {
    return renewClaims(ids, ttlMs)
  }

  async #renewAll(): Promise<void> {
    try {
      await this.renew([...this.#ids], CLAIM_TTL_MS)
    } catch (error) {
      this.#logger.warn({ err: error }, NOT_RENEWED)
    }
  }
}
