import { clock } from '#kernel/clock'
import { keyOf, partyIn, type Party } from '#messenger/mailboxes/party'
import type { Signals, Stop } from '#signals/signals'

import { PresenceElsewhere } from './presence_elsewhere.js'
import { isSignOfLife, presenceIn, type PresenceReport } from './presence_report.js'

/** Where processes tell each other who is connected. */
export const PRESENCE_CHANNEL = 'messenger:presence'

const SIGN_OF_LIFE_EVERY_MS = 2_000

/** A party has its first socket, or lost its last one. */
export type Tell = (party: Party, isConnected: boolean) => void

/**
 * Who is connected, to whichever process. Each tells the others how many sockets its parties have, and gives a sign of life now
 * and then, so that the sockets of one that was killed do not stay. Nothing of this is kept anywhere else.
 */
export class Presence {
  readonly #signals: Signals
  readonly #tell: Tell
  readonly #id = clock.uuid()
  readonly #here = new Map<string, number>()
  readonly #elsewhere = new PresenceElsewhere((key, by) => this.#pass(key, by))
  readonly #signOfLife: NodeJS.Timeout
  #stop: Stop | undefined
  /** Whose sockets here changed since the last report. */
  #changed = new Set<string>()
  #version = 0
  #isAsked = false
  #isSending = false

  static async open(signals: Signals, tell: Tell): Promise<Presence> {
    const presence = new Presence(signals, tell)
    presence.#stop = await signals.subscribe(PRESENCE_CHANNEL, (said) => presence.#hear(said))
    await presence.#publish({ ask: null })
    return presence
  }

  private constructor(signals: Signals, tell: Tell) {
    this.#signals = signals
    this.#tell = tell
    this.#signOfLife = setInterval(() => void this.#report(), SIGN_OF_LIFE_EVERY_MS).unref()
  }

  /** How many sockets a party has, all processes together. */
  countOf(party: Party): number {
    return this.#count(keyOf(party))
  }

  /** Counts one more socket of a party here, until the returned function is called. */
  enter(party: Party): () => void {
    const key = keyOf(party)
    this.#add(key, 1)
    return () => this.#add(key, -1)
  }

  /** Tells the others that nobody is connected here any more. */
  async close(): Promise<void> {
    clearInterval(this.#signOfLife)
    this.#here.clear()
    this.#isAsked = true
    await this.#report()
    await this.#stop?.()
  }

  #count(key: string): number {
    return (this.#here.get(key) ?? 0) + this.#elsewhere.countOf(key)
  }

  #add(key: string, by: 1 | -1): void {
    const count = (this.#here.get(key) ?? 0) + by
    this.#pass(key, by)
    if (count > 0) {
      this.#here.set(key, count)
    } else {
      this.#here.delete(key)
    }
    this.#changed.add(key)
    this.#reportSoon()
  }

  #pass(key: string, by: number): void {
    const before = this.#count(key)
    const isConnected = before + by > 0
    if (before > 0 !== isConnected) {
      this.#tell(partyIn(key), isConnected)
    }
  }

  #hear(payload: string): void {
    const said = presenceIn(payload)
    if (said && 'ask' in said) {
      this.#isAsked ||= said.ask === null || said.ask === this.#id
      this.#reportSoon()
    } else if (said && said.process !== this.#id) {
      if (this.#elsewhere.hear(said)) {
        void this.#publish({ ask: said.process })
      }
    } else if (said && isSignOfLife(said)) {
      this.#elsewhere.hearItself()
    }
  }

  /** What happens in one turn is told together. */
  #reportSoon(): void {
    if (!this.#isSending && (this.#isAsked || this.#changed.size > 0)) {
      this.#isSending = true
      setImmediate(() => {
        this.#isSending = false
        void this.#report()
      })
    }
  }

  async #report(): Promise<void> {
    const [isWhole, changed, before] = [this.#isAsked, this.#changed, this.#version]
    this.#isAsked = false
    this.#changed = new Set()
    this.#version += changed.size > 0 ? 1 : 0
    const counts = isWhole
      ? [...this.#here]
      : [...changed].map((key) => [key, this.#here.get(key) ?? 0] as const)
    const after = isWhole ? null : before
    await this.#publish({ process: this.#id, after, version: this.#version, counts })
  }

  /** Where signals are not carried now, the others ask when they hear of this process again. */
  async #publish(said: PresenceReport | { ask: string | null }): Promise<void> {
    const payload = JSON.stringify(said)
    await this.#signals.publish([{ channel: PRESENCE_CHANNEL, payload }]).catch(() => {})
  }
}
