/** How long the claims of a crashed process last. */
export const CLAIM_TTL_MS = 30_000

const RENEW_EVERY_MS = 10_000

interface HeartbeatDependencies {
  renew(ids: readonly string[], ttlMs: number): Promise<void>
  onFailure(error: unknown): Promise<void> | void
}

/** Renews all claims of this process with one timer and one statement. */
export class Heartbeat {
  readonly #dependencies: HeartbeatDependencies
  readonly #ids = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(dependencies: HeartbeatDependencies) {
    this.#dependencies = dependencies
  }

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
    const { renew, onFailure } = this.#dependencies
    try {
      await renew([...this.#ids], CLAIM_TTL_MS)
    } catch (error) {
      await onFailure(error)
    }
  }
}
