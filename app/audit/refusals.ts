import type { SecurityEvent } from './security_event.js'

/** For how long refusals of the same kind are gathered into one event. */
const GATHERED_FOR_MS = 60_000
const MOST_GATHERED = 10_000

interface Gathered {
  event: SecurityEvent
  count: number
  /** Told where the event could not be noted. */
  readonly failed: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

/**
 * Refusals that repeat themselves: the same caller, route and reason within a minute become one event that says how often.
 * A caller that tries something a thousand times leaves one line, and floods no audit trail.
 */
export class Refusals {
  readonly #gathered = new Map<string, Gathered>()
  readonly #note: (event: SecurityEvent) => Promise<void>
  readonly #under = new Set<Promise<void>>()

  constructor(note: (event: SecurityEvent) => Promise<void>) {
    this.#note = note
  }

  add(event: SecurityEvent, reason: string, failed: (error: unknown) => void): void {
    const { actor } = event.origin
    const key = JSON.stringify([actor?.kind, actor?.id, event.subject, reason])
    const present = this.#gathered.get(key)
    if (present) {
      present.count++
      present.event = { ...present.event, id: present.event.id === event.id ? event.id : null }
    } else {
      const timer = setTimeout(() => this.#tell(key), GATHERED_FOR_MS).unref()
      this.#gathered.set(key, { event, count: 1, failed, timer })
      if (this.#gathered.size > MOST_GATHERED) {
        this.#tell(this.#gathered.keys().next().value!)
      }
    }
  }

  /** Notes what was gathered so far; resolves when that is kept. For the end of a process, among others. */
  async settle(): Promise<void> {
    for (const key of [...this.#gathered.keys()]) {
      this.#tell(key)
    }
    await Promise.all(this.#under)
  }

  #tell(key: string): void {
    const { event, count, failed, timer } = this.#gathered.get(key)!
    clearTimeout(timer)
    this.#gathered.delete(key)
    const noting = this.#note({ ...event, count })
      .catch(failed)
      .finally(() => this.#under.delete(noting))
    this.#under.add(noting)
  }
}
