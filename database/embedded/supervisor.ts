import { setTimeout as delay } from 'node:timers/promises'
import type { Postmaster } from './postmaster.js'

const longestPause = 10_000
const steadyAfter = 60_000
const logCheckInterval = 60_000

/** Restarts a server that ends by itself: at once the first time, then with increasing delays. */
export class Supervisor {
  readonly #relaunch: () => Promise<Postmaster>
  readonly #notify: (text: string) => void
  readonly #stopping = new AbortController()
  readonly #supervision: Promise<void>
  readonly #logCheck: NodeJS.Timeout
  #postmaster: Postmaster

  constructor(
    first: Postmaster,
    relaunch: () => Promise<Postmaster>,
    notify: (text: string) => void
  ) {
    this.#postmaster = first
    this.#relaunch = relaunch
    this.#notify = notify
    this.#supervision = this.#supervise()
    this.#logCheck = setInterval(() => void this.#boundLog(), logCheckInterval).unref()
  }

  /** Stops the server and the supervision. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#logCheck)
    await this.#postmaster.stop()
    await this.#supervision
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopping
    let failures = 0
    while (!signal.aborted) {
      const startedAt = Date.now()
      const ending = await this.#postmaster.ended
      if (signal.aborted) {
        return
      }
      failures = Date.now() - startedAt > steadyAfter ? 1 : failures + 1
      this.#notify(
        `PostgreSQL ${ending} unexpectedly and is started again on port ${this.#postmaster.port}.`
      )
      await delay(pauseBefore(failures), undefined, { signal, ref: false }).catch(() => {})
      if (!signal.aborted) {
        await this.#restart()
      }
    }
    await this.#postmaster.stop()
  }

  async #boundLog(): Promise<void> {
    await this.#postmaster.log.bound().catch((error: Error) => this.#notify(error.message))
  }

  async #restart(): Promise<void> {
    try {
      this.#postmaster = await this.#relaunch()
      await this.#postmaster.ready()
      this.#notify(`PostgreSQL answers again on port ${this.#postmaster.port}.`)
    } catch (error) {
      if (!this.#stopping.signal.aborted) {
        this.#notify((error as Error).message)
      }
    }
  }
}

function pauseBefore(attempt: number): number {
  return attempt === 1 ? 0 : Math.min(100 * 2 ** attempt, longestPause)
}
