import { jitteredBackoff } from '#kernel/backoff'
import type { Destination } from './destination.js'
import { DESTINATIONS, type Entry } from './entry.js'
import { OrderedDelivery } from './ordered_delivery.js'

const BACK_OFF = { firstMs: 100, longestMs: 2_000 }

/** The polling interval of an unavailable destination. */
const RECHECK_MS = 250

/** Without progress for this time, a lane counts as stalled. */
const STALL_MS = 1_000

interface LaneOptions {
  onSettled(lane: Lane, entry: Entry): void
  onFailure(lane: Lane, error: unknown): void
}

/**
 * Delivers to one destination, or to one queue of commands: in order per record, concurrently across records. After a
 * failure it pauses, longer each time.
 */
export class Lane {
  readonly name: string
  readonly bit: number
  readonly #destination: Destination
  readonly #options: LaneOptions
  readonly #entries = new Map<number, Entry>()
  readonly #deliveries = new Map<string, OrderedDelivery>()
  #inFlight = 0
  #failures = 0
  #lastProgressAt = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    destination: Destination,
    readonly queue: string | null,
    options: LaneOptions
  ) {
    this.name = queue === null ? destination.name : `${destination.name} ${queue}`
    this.bit = DESTINATIONS[destination.name]
    this.#destination = destination
    this.#options = options
  }

  /** The undelivered entries in order. */
  get entries(): Iterable<Entry> {
    return this.#entries.values()
  }

  /** Whether other lanes should not wait for this one: its destination is unavailable or does not respond. */
  isStalled(now: number): boolean {
    return this.#isPaused || (this.#inFlight > 0 && now - this.#lastProgressAt > STALL_MS)
  }

  add(entry: Entry): void {
    this.#entries.set(entry.position, entry)
    const delivery = this.#deliveryOf(entry)
    delivery.add(entry)
    if (!this.#isPaused) {
      delivery.advance()
    }
  }

  /** Stops sending and ignores pending responses. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  get #isPaused(): boolean {
    return this.#timer !== undefined
  }

  #deliveryOf({ orderedBy }: Entry): OrderedDelivery {
    let delivery = this.#deliveries.get(orderedBy)
    if (!delivery) {
      delivery = this.#newDelivery(orderedBy)
      this.#deliveries.set(orderedBy, delivery)
    }
    return delivery
  }

  #newDelivery(orderedBy: string): OrderedDelivery {
    const delivery: OrderedDelivery = new OrderedDelivery({
      send: (entry) => this.#send(entry),
      onSettled: (entry) => this.#settled(entry),
      onArrival: () => (this.#failures = 0),
      onFailure: (error) => this.#failed(error),
      onReturn: () => this.#returned(orderedBy, delivery),
    })
    return delivery
  }

  async #send(entry: Entry): Promise<void> {
    if (this.#inFlight++ === 0) {
      this.#lastProgressAt = performance.now()
    }
    try {
      await this.#destination.deliver(entry)
    } finally {
      this.#inFlight--
      this.#lastProgressAt = performance.now()
    }
  }

  #settled(entry: Entry): void {
    if (!this.#isClosed) {
      this.#entries.delete(entry.position)
      this.#options.onSettled(this, entry)
    }
  }

  #returned(orderedBy: string, delivery: OrderedDelivery): void {
    if (delivery.isEmpty) {
      this.#deliveries.delete(orderedBy)
    } else if (!this.#isPaused && !this.#isClosed) {
      delivery.advance()
    }
  }

  #failed(error: unknown): void {
    if (!this.#isClosed && !this.#isPaused) {
      this.#failures++
      this.#pause(jitteredBackoff(this.#failures, BACK_OFF))
      this.#options.onFailure(this, error)
    }
  }

  #pause(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#resume(), milliseconds)
  }

  #resume(): void {
    if (!this.#destination.isReady) {
      this.#pause(RECHECK_MS)
      return
    }
    this.#timer = undefined
    this.#deliveries.forEach((delivery) => delivery.advance())
  }
}
