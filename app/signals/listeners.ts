import type { ReportError } from './signals.js'

/** Receives the messages of a channel. */
export interface Listener {
  receive(payload: string): void
}

/** The listeners of each channel in this process. A failing listener does not affect the others. */
export class Listeners {
  readonly #report: ReportError
  /** Most channels have one listener, and a set for each would need more memory than all the rest. */
  readonly #byChannel = new Map<string, Listener | Set<Listener>>()

  constructor(report: ReportError) {
    this.#report = report
  }

  get channels(): string[] {
    return [...this.#byChannel.keys()]
  }

  /** The number of channels with listeners. */
  get size(): number {
    return this.#byChannel.size
  }

  has(channel: string): boolean {
    return this.#byChannel.has(channel)
  }

  add(channel: string, listener: Listener): void {
    const present = this.#byChannel.get(channel)
    if (!present) {
      this.#byChannel.set(channel, listener)
    } else if (present instanceof Set) {
      present.add(listener)
    } else {
      this.#byChannel.set(channel, new Set([present, listener]))
    }
  }

  /** Returns whether this was the last listener of the channel. */
  remove(channel: string, listener: Listener): boolean {
    const present = this.#byChannel.get(channel)
    const wasLast =
      present instanceof Set ? present.delete(listener) && present.size === 0 : present === listener
    if (wasLast) {
      this.#byChannel.delete(channel)
    }
    return wasLast
  }

  dispatch(channel: string, payload: string): void {
    for (const listener of this.#listenersTo(channel)) {
      try {
        listener.receive(payload)
      } catch (error) {
        this.#report(error as Error, `a listener of ${channel} failed`)
      }
    }
  }

  clear(): void {
    this.#byChannel.clear()
  }

  #listenersTo(channel: string): readonly Listener[] {
    const present = this.#byChannel.get(channel) ?? []
    return 'receive' in present ? [present] : [...present]
  }
}
