/** Runs work with concurrent tasks that it starts. The first failure aborts the signal and becomes the result. */
export class TaskGroup {
  readonly #concurrency: number
  readonly #failed = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** Aborts with the first failure or the outer signal. */
  readonly signal: AbortSignal

  constructor(concurrency: number, signal: AbortSignal) {
    this.#concurrency = concurrency
    this.signal = AbortSignal.any([signal, this.#failed.signal])
  }

  /** Resolves when all tasks have ended. */
  async run(work: () => Promise<void>): Promise<void> {
    await this.#guarded(work)
    await Promise.all(this.#running)
    this.#failed.signal.throwIfAborted()
  }

  /** Waits until another task may start. */
  async waitForSlot(): Promise<void> {
    while (this.#running.size >= this.#concurrency) {
      await Promise.race(this.#running)
    }
  }

  /** Starts a task. The returned promise resolves when it has ended, even if it failed. */
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
