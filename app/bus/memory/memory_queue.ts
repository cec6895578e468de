import type { Delivery, DeliveryHistory, Subscription } from '#bus/bus'
import { BusUnavailable } from '#bus/errors'
import { writeMessage, type Message } from '#bus/message'
import { bury } from './memory_dead_letters.js'

interface Entry {
  readonly place: number
  readonly id: string
  readonly bytes: Buffer
  history: DeliveryHistory
  /** It is, or is about to be, among the dead, who can be given back: one that is handed in now is another one. */
  isDying: boolean
  readonly handled: PromiseWithResolvers<void>
}

interface Taker {
  readonly subscription: Subscription
  readonly deliver: (delivery: Delivery) => Promise<void>
  readonly underWay: Set<Promise<void>>
}

/**
 * A queue that lives in this process. It is not where messages are kept: the publisher keeps one until it is told
 * that the message was handled.
 */
export class MemoryQueue {
  readonly #waiting: Entry[] = []
  readonly #handedIn = new Map<string, Entry>()
  readonly #takers: Taker[] = []
  #places = 0

  get isTaken(): boolean {
    return this.#takers.length > 0
  }

  /** Resolves when a consumer has handled the message; one that is handed in again meanwhile is still the same. */
  add(message: Message): Promise<void> {
    const known = this.#handedIn.get(message.id)
    if (known && !known.isDying) {
      return known.handled.promise
    }
    const entry: Entry = {
      place: this.#places++,
      id: message.id,
      bytes: writeMessage(message),
      history: 'unknown',
      isDying: false,
      handled: Promise.withResolvers(),
    }
    this.#handedIn.set(entry.id, entry)
    this.#waiting.push(entry)
    this.#dispatch()
    return entry.handled.promise
  }

  take(subscription: Subscription, deliver: Taker['deliver']): { stop(): Promise<void> } {
    const taker: Taker = { subscription, deliver, underWay: new Set() }
    this.#takers.push(taker)
    this.#dispatch()
    return {
      stop: async () => {
        const index = this.#takers.indexOf(taker)
        if (index !== -1) {
          this.#takers.splice(index, 1)
        }
        await Promise.all(taker.underWay)
      },
    }
  }

  close(): void {
    this.#takers.length = 0
    for (const { handled } of this.#handedIn.values()) {
      handled.reject(new BusUnavailable('this process is stopping'))
    }
    this.#handedIn.clear()
    this.#waiting.length = 0
  }

  /** As with a single active consumer of a broker, the first taker gets all, until it stops. */
  #dispatch(): void {
    const [taker] = this.#takers
    while (taker && this.#waiting.length > 0 && taker.underWay.size < taker.subscription.prefetch) {
      const delivered = this.#deliver(taker, this.#waiting.shift()!).finally(() => {
        taker.underWay.delete(delivered)
        this.#dispatch()
      })
      taker.underWay.add(delivered)
    }
  }

  async #deliver({ subscription, deliver }: Taker, entry: Entry): Promise<void> {
    const { bytes, history } = entry
    try {
      await deliver({
        bytes,
        history,
        isLost: false,
        deadLetter: (cause) => {
          entry.isDying = true
          return bury(subscription, bytes, cause)
        },
      })
      this.#forget(entry)
      entry.handled.resolve()
    } catch {
      this.#putBack(entry)
    }
  }

  #forget(entry: Entry): void {
    if (this.#handedIn.get(entry.id) === entry) {
      this.#handedIn.delete(entry.id)
    }
  }

  #putBack(entry: Entry): void {
    if (this.#handedIn.get(entry.id) === entry) {
      entry.isDying = false
      const index = this.#waiting.findIndex(({ place }) => place > entry.place)
      this.#waiting.splice(index === -1 ? this.#waiting.length : index, 0, entry)
    } else {
      entry.handled.reject(new BusUnavailable('its consumer has stopped'))
    }
  }
}
