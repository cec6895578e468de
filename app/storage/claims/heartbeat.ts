import { renewClaims } from './claims.js'

/** A process that dies without a word loses its claims after this. */
export const CLAIM_TTL_MS = 30_000

const RENEW_EVERY_MS = 10_000

/** Renews what this process is sending files to: all of it by one timer, in one statement. */
class Heartbeat {
  readonly #ids = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  add(id: string): void {
    this.#ids.add(id)
    this.#timer ??= setInterval(() => void this.#renew(), RENEW_EVERY_MS).unref()
  }

  remove(ids: readonly string[]): void {
    ids.forEach((id) => this.#ids.delete(id))
    if (this.#ids.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #renew(): Promise<void> {
    try {
      await renewClaims([...this.#ids], CLAIM_TTL_MS)
    } catch (error) {
      const { default: logger } = await import('@adonisjs/core/services/logger')
      logger.warn({ err: error }, 'the paths of running uploads could not be renewed; tried again')
    }
  }
}

export const heartbeat = new Heartbeat()
