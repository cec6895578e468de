import { setTimeout as delay } from 'node:timers/promises'

/** What the page of a pool says about its reloads. */
export interface ReloadState {
  /** Before, a request has no effect. */
  readonly started: boolean
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
  #started = false
  #isQueued = false
  #requested = 0
  #completed = 0
  #failed = false

  /** `replaceAll` resolves to whether every process was replaced. */
  constructor(replaceAll: () => Promise<boolean>) {
    this.#replaceAll = replaceAll
  }

  get state(): ReloadState {
    return {
      started: this.#started,
      requested: this.#requested,
      completed: this.#completed,
      failed: this.#failed,
    }
  }

  /** From now on requests are accepted. */
  start(): void {
    this.#started = true
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

/** Requests a reload once the pool has started, and resolves at its end to whether every process was replaced. */
export async function awaitReload(
  readState: () => Promise<ReloadState>,
  request: () => void
): Promise<boolean> {
  const { requested } = await stateWhen(readState, ({ started }) => started)
  request()
  const { failed } = await stateWhen(readState, ({ completed }) => completed > requested)
  return !failed
}

async function stateWhen(
  readState: () => Promise<ReloadState>,
  isReached: (state: ReloadState) => boolean
): Promise<ReloadState> {
  for (;;) {
    const state = await readState()
    if (isReached(state)) {
      return state
    }
    await delay(POLL_INTERVAL_MS)
  }
}
