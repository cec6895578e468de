import { jitteredBackoff, type BackoffPolicy } from '#kernel/backoff'
import { clock } from '#kernel/clock'

interface FailedAttempt {
  readonly message: string
  readonly count: number
  readonly pausedUntil: number
}

const PAUSES: BackoffPolicy = { firstMs: 2_000, longestMs: 60_000 }

/** Isolates a failure of one analysis from the others. It is logged once. */
export class FailedAttempts {
  readonly #onLine: (line: string) => void
  readonly #failures = new Map<string, FailedAttempt>()

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  /** Runs the work; a failure is recorded under the key. */
  async attempt(key: string, name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#failures.delete(key)
    } catch (error) {
      this.#remember(key, name, (error as Error).message)
    }
  }

  /** Whether the last attempt failed so recently that the next one has to wait. */
  isPaused(key: string): boolean {
    return (this.#failures.get(key)?.pausedUntil ?? 0) > clock.now()
  }

  /** Removes failures of deleted records. */
  retain(keys: ReadonlySet<string>): void {
    for (const key of this.#failures.keys()) {
      if (!keys.has(key)) {
        this.#failures.delete(key)
      }
    }
  }

  #remember(key: string, name: string, message: string): void {
    const former = this.#failures.get(key)
    if (former?.message !== message) {
      this.#onLine(`${name}: ${message}`)
    }
    const count = (former?.count ?? 0) + 1
    const pausedUntil = clock.now() + jitteredBackoff(count, PAUSES)
    this.#failures.set(key, { message, count, pausedUntil })
  }
}
