import type { Report } from './signals.js'

type Listener = (payload: string) => void

/**
 * Who listens to which channel in this process. One that throws does not keep the others from hearing.
 */
export class Listeners {
  readonly #report: Report
  readonly #byChannel = new Map<string, Set<{ listener: Listener }>>()

  constructor(report: Report) {
    this.#report = report
  }

  get channels(): string[] {
    return [...this.#byChannel.keys()]
  }

  /** The returned function takes the listener off, and answers whether the channel has no other one left. */
  add(channel: string, listener: Listener): () => boolean {
    const entry = { listener }
    const entries = this.#byChannel.get(channel) ?? new Set()
    this.#byChannel.set(channel, entries.add(entry))
    return () => {
      const wasLast = entries.delete(entry) && entries.size === 0
      if (wasLast) {
        this.#byChannel.delete(channel)
      }
      return wasLast
    }
  }

  tell(channel: string, payload: string): void {
    for (const { listener } of [...(this.#byChannel.get(channel) ?? [])]) {
      try {
        listener(payload)
      } catch (error) {
        this.#report(error as Error, `a listener of ${channel} failed`)
      }
    }
  }

  clear(): void {
    this.#byChannel.clear()
  }
}
