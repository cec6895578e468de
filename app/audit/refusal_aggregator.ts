import type { SecurityEvent } from './security_event.js'

/** How long equal refusals are aggregated. */
const AGGREGATION_MS = 60_000
const MAX_AGGREGATED = 10_000

interface AggregatedRefusal {
  event: SecurityEvent
  count: number
  /** Called if the event cannot be recorded. */
  readonly onError: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

/**
 * Aggregates repeated refusals: those of one key within a minute become one event with a count. So a caller cannot
 * flood the audit trail.
 */
export class RefusalAggregator {
  readonly #aggregated = new Map<string, AggregatedRefusal>()
  readonly #record: (event: SecurityEvent) => Promise<void>
  readonly #pending = new Set<Promise<void>>()

  constructor(record: (event: SecurityEvent) => Promise<void>) {
    this.#record = record
  }

  /** The key says which refusals are equal, such as those of a caller for one reason. */
  add(
    event: SecurityEvent,
    by: readonly (string | null | undefined)[],
    onError: (error: unknown) => void
  ): void {
    const key = JSON.stringify([event.type, event.subject, ...by])
    const present = this.#aggregated.get(key)
    if (present) {
      present.count++
      present.event = { ...present.event, id: present.event.id === event.id ? event.id : null }
    } else {
      const timer = setTimeout(() => this.#flushKey(key), AGGREGATION_MS).unref()
      this.#aggregated.set(key, { event, count: 1, onError, timer })
      if (this.#aggregated.size > MAX_AGGREGATED) {
        this.#flushKey(this.#aggregated.keys().next().value!)
      }
    }
  }

  /** Records all aggregated refusals and resolves when they are stored. Used on shutdown, among others. */
  async flush(): Promise<void> {
    for (const key of [...this.#aggregated.keys()]) {
      this.#flushKey(key)
    }
    await Promise.all(this.#pending)
  }

  #flushKey(key: string): void {
    const { event, count, onError: failed, timer } = this.#aggregated.get(key)!
    clearTimeout(timer)
    this.#aggregated.delete(key)
    const recording = this.#record({ ...event, count })
      .catch(failed)
      .finally(() => this.#pending.delete(recording))
    this.#pending.add(recording)
  }
}
