import { setTimeout as delay } from 'node:timers/promises'

/** What the page of a pool says about its reloads. */
export interface ReloadState {
  /** How often a reload was requested. */
  readonly requested: number
  /** How many of these requests were dealt with. */
  readonly completed: number
  /** Whether the last reload left processes that were not replaced. */
  readonly failed: boolean
}

const POLL_INTERVAL_MS = 100

/** The reloads of a pool, one after the other. Requests during a reload are dealt with by one more. */
export class Reloads {
  readonly #replaceAll: () => Promise<boolean>
  #running: Promise<void> | undefined
  #isQueued = false
  #requested = 0
  #completed = 0
  #failed = false

  /** `replaceAll` resolves to whether every process was replaced. */
  constructor(replaceAll: () => Promise<boolean>) {
    this.#replaceAll = replaceAll
  }

  get state(): ReloadState {
    return { requested: this.#requested, completed: this.#completed, failed: this.#failed }
  }

  async request(): Promise<void> {
    this.#requested++
    if (!this.#isQueued) {
      this.#isQueued = true
      await this.#running
      this.#isQueued = false
      this.#running = this.#run(this.#requested)
    }
    await this.#running
  }

  async #run(requests: number): Promise<void> {
    this.#failed = !(await this.#replaceAll())
    this.#completed = requests
  }
}

/** Requests a reload and waits until it is over; resolves to whether every process was replaced. */
export async function awaitReload(
  readState: () => Promise<ReloadState>,
  request: () => void
): Promise<boolean> {
  const { requested } = await readState()
  request()
  for (;;) {
    const { completed, failed } = await readState()
    if (completed > requested) {
      return !failed
    }
    await delay(POLL_INTERVAL_MS)
  }
}
