import { clock } from '#kernel/clock'
import { keyOf, partyFromKey, type Party } from '#messenger/mailboxes/party'
import type { Signals, Unsubscribe } from '#signals/signals'

import { RemotePresence } from './remote_presence.js'
import { isHeartbeat, parsePresence, type PresenceReport } from './presence_report.js'

/** The Redis channel on which processes publish their connected parties. */
export const PRESENCE_CHANNEL = 'messenger:presence'

const HEARTBEAT_EVERY_MS = 2_000

/** Called when a party connects its first socket or disconnects its last one. */
export type PresenceListener = (party: Party, isConnected: boolean) => void

/**
 * Counts the sockets of parties in all processes. Each process publishes its counts and a heartbeat, so that the
 * sockets of a killed process expire. The counts are not stored.
 */
export class Presence {
  readonly #signals: Signals
  readonly #onChange: PresenceListener
  readonly #id = clock.uuid()
  readonly #local = new Map<string, number>()
  readonly #remote = new RemotePresence((key, by) => this.#notifyIfChanged(key, by))
  readonly #heartbeat: NodeJS.Timeout
  #stop: Unsubscribe | undefined
  /** Parties whose local sockets changed since the last report. */
  #changed = new Set<string>()
  #version = 0
  #isFullReportRequested = false
  #isReportScheduled = false

  static async open(signals: Signals, onChange: PresenceListener): Promise<Presence> {
    const presence = new Presence(signals, onChange)
    presence.#stop = await signals.subscribe(PRESENCE_CHANNEL, (message) =>
      presence.#receive(message)
    )
    await presence.#publish({ ask: null })
    return presence
  }

  private constructor(signals: Signals, onChange: PresenceListener) {
    this.#signals = signals
    this.#onChange = onChange
    this.#heartbeat = setInterval(() => void this.#report(), HEARTBEAT_EVERY_MS).unref()
  }

  /** The number of sockets of a party in all processes. */
  countOf(party: Party): number {
    return this.#count(keyOf(party))
  }

  /** Counts a local socket of a party until the returned function is called. */
  addSocket(party: Party): () => void {
    const key = keyOf(party)
    this.#add(key, 1)
    return () => this.#add(key, -1)
  }

  /** Reports that this process has no sockets any more. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    this.#local.clear()
    this.#isFullReportRequested = true
    await this.#report()
    await this.#stop?.()
  }

  #count(key: string): number {
    return (this.#local.get(key) ?? 0) + this.#remote.countOf(key)
  }

  #add(key: string, by: 1 | -1): void {
    const count = (this.#local.get(key) ?? 0) + by
    this.#notifyIfChanged(key, by)
    if (count > 0) {
      this.#local.set(key, count)
    } else {
      this.#local.delete(key)
    }
    this.#changed.add(key)
    this.#scheduleReport()
  }

  #notifyIfChanged(key: string, by: number): void {
    const before = this.#count(key)
    const isConnected = before + by > 0
    if (before > 0 !== isConnected) {
      this.#onChange(partyFromKey(key), isConnected)
    }
  }

  #receive(payload: string): void {
    const message = parsePresence(payload)
    if (message && 'ask' in message) {
      this.#isFullReportRequested ||= message.ask === null || message.ask === this.#id
      this.#scheduleReport()
    } else if (message && message.process !== this.#id) {
      if (this.#remote.receive(message)) {
        void this.#publish({ ask: message.process })
      }
    } else if (message && isHeartbeat(message)) {
      this.#remote.receiveOwnHeartbeat()
    }
  }

  /** Merges the changes of one turn of the event loop into one report. */
  #scheduleReport(): void {
    if (!this.#isReportScheduled && (this.#isFullReportRequested || this.#changed.size > 0)) {
      this.#isReportScheduled = true
      setImmediate(() => {
        this.#isReportScheduled = false
        void this.#report()
      })
    }
  }

  async #report(): Promise<void> {
    const [isFull, changed, before] = [this.#isFullReportRequested, this.#changed, this.#version]
    this.#isFullReportRequested = false
    this.#changed = new Set()
    this.#version += changed.size > 0 ? 1 : 0
    const counts = isFull
      ? [...this.#local]
      : [...changed].map((key) => [key, this.#local.get(key) ?? 0] as const)
    const after = isFull ? null : before
    await this.#publish({ process: this.#id, after, version: this.#version, counts })
  }

  /** If signals are unavailable, the other processes request a full report when this process is back. */
  async #publish(message: PresenceReport | { ask: string | null }): Promise<void> {
    const payload = JSON.stringify(message)
    await this.#signals.publish([{ channel: PRESENCE_CHANNEL, payload }]).catch(() => {})
  }
}
