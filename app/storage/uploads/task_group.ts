/**
 * Work together with what it sets off beside itself. Where any of it fails, the rest is told by the signal, and the first failure
 * is that of the whole.
 */
export class TaskGroup {
  readonly #concurrency: number
  readonly #failed = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** Aborts with the first failure, or from outside. */
  readonly signal: AbortSignal

  constructor(concurrency: number, signal: AbortSignal) {
    this.#concurrency = concurrency
    this.signal = AbortSignal.any([signal, this.#failed.signal])
  }

  /** Ends when all of it has ended. */
  async run(work: () => Promise<void>): Promise<void> {
    await this.#guarded(work)
    await Promise.all(this.#running)
    this.#failed.signal.throwIfAborted()
  }

  /** Waits until there is room to begin something. */
  async waitForSlot(): Promise<void> {
    while (this.#running.size >= this.#concurrency) {
      await Promise.race(this.#running)
    }
  }

  /** Begins something; what is answered resolves when that has ended, also where it failed. */
  start(work: () => Promise<void>): Promise<void> {
    const running = this.#guarded(work).then(() => void this.#running.delete(running))
    this.#running.add(running)
    return running
  }

  fail(reason: unknown): void {
    this.#failed.abort(reason)
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.fail(error)
    }
  }
}
