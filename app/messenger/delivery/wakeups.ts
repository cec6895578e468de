import type { DatabasePool } from '#database/database_pool'
import { Listeners, type Listener } from '#signals/listeners'
import type { ReportError, Signals, Unsubscribe } from '#signals/signals'
import { findNonEmptyMailboxes, type Arrival } from '#messenger/mailboxes/arrivals'
import { parseWakeup, WAKEUP_CHANNEL, wakeupOf, type ArrivalSignal } from './wakeup_payload.js'

/** While signals are carried, only every third look is taken: a wakeup can still end with the process that would have sent it. */
const CHECK_EVERY_MS = 2_000
const TICKS_PER_CHECK_WITH_SIGNALS = 3

/** Tells processes that wakeups may have been missed; nobody sends it. */
const MISSED_TOPIC = 'messages'

interface WakeupsOptions {
  readonly pool: DatabasePool
  readonly signals: Signals
  readonly report: ReportError
}

/**
 * Who waits in this process for which mailbox. Those who wait are told of what any process stores: at once by a signal, and at
 * the latest when the mailboxes are looked at, all of them with one statement.
 */
export class Wakeups {
  readonly #options: WakeupsOptions
  readonly #listeners: Listeners
  readonly #stops: Unsubscribe[] = []
  /** How many arrivals those who wait for a mailbox know of. */
  #knownArrivals = new Map<string, number>()
  /** What is to be told to the other processes at the end of this turn. */
  #outgoing = new Map<string, Arrival>()
  #timer: NodeJS.Timeout | undefined
  #ticks = 0

  /** Returns when signals are heard, where they are carried at all. */
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

  /** For how many mailboxes somebody waits. */
  get size(): number {
    return this.#listeners.size
  }

  /** Tells a listener of each arrival in the mailbox with a key until it leaves. It may be told without one. */
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

  /** Tells of what was stored. Never throws or waits. */
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

  /** Where signals are not carried now, the others find out when they look. */
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
    const { pool, report } = this.#options
    const { channels } = this.#listeners
    if (channels.length === 0) {
      return
    }
    try {
      const waiting = await findNonEmptyMailboxes(pool, channels)
      for (const key of channels) {
        const arrivals = waiting.get(key)
        if (arrivals === undefined) {
          this.#knownArrivals.delete(key)
        } else {
          this.#notifyLocally({ key, arrivals })
        }
      }
    } catch (error) {
      report(error as Error, 'mailboxes could not be looked at')
    }
  }

  #stopIfUnused(): void {
    if (this.#listeners.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}
