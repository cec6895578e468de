import { Listeners, type Listener } from '#signals/listeners'
import type { ReportError, Signals, Unsubscribe } from '#signals/signals'
import { messengerPool } from '#messenger/database'
import { findNonEmptyMailboxes, type Arrival } from '#messenger/mailboxes/arrivals'
import { parseWakeup, WAKEUP_CHANNEL, wakeupOf, type ArrivalSignal } from './wakeup_payload.js'

/**
 * How often mailboxes are checked. While signals work, only every third check is made: a process can still end
 * before it sends its wakeup.
 */
const CHECK_EVERY_MS = 2_000
const TICKS_PER_CHECK_WITH_SIGNALS = 3

/** Notified when wakeups may have been missed; no process publishes to it. */
const MISSED_TOPIC = 'messages'

interface WakeupsOptions {
  readonly signals: Signals
  readonly report: ReportError
}

/**
 * The listeners of this process by mailbox. They are notified by a signal when any process stores a message, and at
 * the latest by the next check, which reads all their mailboxes with one statement.
 */
export class Wakeups {
  readonly #pool = messengerPool()
  readonly #options: WakeupsOptions
  readonly #listeners: Listeners
  readonly #stops: Unsubscribe[] = []
  /** The last known number of arrivals by mailbox. */
  #knownArrivals = new Map<string, number>()
  /** Arrivals to publish at the end of this turn of the event loop. */
  #outgoing = new Map<string, Arrival>()
  #timer: NodeJS.Timeout | undefined
  #ticks = 0

  /** Resolves when the subscriptions are active. */
  static async open(options: WakeupsOptions): Promise<Wakeups> {
    const { signals } = options
    const wakeups = new Wakeups(options)
    const onSignal = (payload: string) => {
      if (wakeups.size > 0) {
        wakeups.#notifyLocally(parseWakeup(payload))
      }
    }
    wakeups.#stops.push(
      await signals.subscribe(WAKEUP_CHANNEL, onSignal),
      await signals.onNotification(MISSED_TOPIC, () => void wakeups.#checkMailboxes())
    )
    return wakeups
  }

  constructor(options: WakeupsOptions) {
    this.#options = options
    this.#listeners = new Listeners(options.report)
  }

  /** The number of mailboxes with listeners. */
  get size(): number {
    return this.#listeners.size
  }

  /**
   * Notifies a listener of each arrival in a mailbox until it unsubscribes. It may be notified without an arrival.
   */
  subscribe(key: string, listener: Listener): void {
    this.#listeners.add(key, listener)
    this.#timer ??= setInterval(() => this.#tick(), CHECK_EVERY_MS).unref()
  }

  unsubscribe(key: string, listener: Listener): void {
    if (this.#listeners.remove(key, listener)) {
      this.#knownArrivals.delete(key)
      this.#stopIfUnused()
    }
  }

  /** Notifies listeners of all processes. Never throws or waits. */
  notify(arrivals: readonly Arrival[]): void {
    if (this.#outgoing.size === 0 && arrivals.length > 0) {
      setImmediate(() => void this.#publish())
    }
    for (const arrival of arrivals) {
      this.#outgoing.set(arrival.key, arrival)
      this.#notifyLocally(arrival)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#listeners.clear()
    await Promise.all(this.#stops.map((stop) => stop()))
  }

  #notifyLocally(signal: ArrivalSignal | undefined): void {
    if (!signal || !this.#listeners.has(signal.key)) {
      return
    }
    const { key, arrivals } = signal
    if (arrivals !== undefined) {
      if (arrivals <= (this.#knownArrivals.get(key) ?? 0)) {
        return
      }
      this.#knownArrivals.set(key, arrivals)
    }
    this.#listeners.dispatch(key, '')
  }

  /** If signals are unavailable, the other processes find the messages with their next check. */
  async #publish(): Promise<void> {
    const arrivals = [...this.#outgoing.values()]
    this.#outgoing = new Map()
    await this.#options.signals.publish(arrivals.map(wakeupOf)).catch(() => {})
  }

  #tick(): void {
    this.#ticks += 1
    if (!this.#options.signals.isReady || this.#ticks % TICKS_PER_CHECK_WITH_SIGNALS === 0) {
      void this.#checkMailboxes()
    }
  }

  async #checkMailboxes(): Promise<void> {
    const { report } = this.#options
    const { channels } = this.#listeners
    if (channels.length === 0) {
      return
    }
    try {
      const waiting = await findNonEmptyMailboxes(this.#pool, channels)
      for (const key of channels) {
        const arrivals = waiting.get(key)
        if (arrivals === undefined) {
          this.#knownArrivals.delete(key)
        } else {
          this.#notifyLocally({ key, arrivals })
        }
      }
    } catch (error) {
      report(error as Error, 'the mailboxes could not be checked for messages')
    }
  }

  #stopIfUnused(): void {
    if (this.#listeners.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}
