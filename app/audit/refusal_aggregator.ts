import type { SecurityEvent } from './security_event.js'

/** For how long refusals of the same kind are gathered into one event. */
const AGGREGATION_MS = 60_000
const MAX_AGGREGATED = 10_000

interface AggregatedRefusal {
  event: SecurityEvent
  count: number
  /** Told where the event could not be noted. */
  readonly onError: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

/**
 * Refusals that repeat themselves: the same caller, route and reason within a minute become one event that says how often.
 * A caller that tries something a thousand times leaves one line, and floods no audit trail.
 */
export class RefusalAggregator {
  readonly #aggregated = new Map<string, AggregatedRefusal>()
  readonly #record: (event: SecurityEvent) => Promise<void>
  readonly #pending = new Set<Promise<void>>()

  constructor(record: (event: SecurityEvent) => Promise<void>) {
    this.#record = record
  }

  add(event: SecurityEvent, reason: string, onError: (error: unknown) => void): void {
    const { actor } = event.origin
    const key = JSON.stringify([actor?.kind, actor?.id, event.subject, reason])
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

  /** Notes what was gathered so far; resolves when that is kept. For the end of a process, among others. */
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
