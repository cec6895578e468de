import { jitteredBackoff } from '#kernel/backoff'
import type { Destination } from './destination.js'
import { DESTINATIONS, type Entry } from './entry.js'

const BACK_OFF = { firstMs: 100, longestMs: 2_000 }

/** The polling interval of an unavailable destination. */
const RECHECK_MS = 250

/** Without progress for this time, a lane counts as stalled. */
const STALL_MS = 1_000

interface LaneItem {
  readonly entry: Entry
  state: 'waiting' | 'sent' | 'arrived'
}

/** The unsettled entries of one record, in order. */
interface RecordQueue {
  readonly items: LaneItem[]
  inFlight: number
  hasFailed: boolean
}

interface LaneOptions {
  /** Called for each delivered entry, in order per record. */
  onSettled(lane: Lane, entry: Entry): void
  onFailure(lane: Lane, error: unknown): void
}

/**
 * Delivers to one destination, or to one queue of commands: in order per record, concurrently across records. After a
 * failure it pauses, longer each time, and then sends the failed entry and all later ones of its record again, including
 * those that had arrived.
 */
export class Lane {
  readonly name: string
  readonly bit: number
  readonly #destination: Destination
  readonly #options: LaneOptions
  readonly #records = new Map<string, RecordQueue>()
  #size = 0
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

  /** The number of undelivered entries. */
  get size(): number {
    return this.#size
  }

  /** Whether other lanes should not wait for this one: its destination is unavailable or does not respond. */
  isStalled(now: number): boolean {
    return this.#isPaused || (this.#inFlight > 0 && now - this.#lastProgressAt > STALL_MS)
  }

  add(entry: Entry): void {
    let record = this.#records.get(entry.orderedBy)
    if (!record) {
      record = { items: [], inFlight: 0, hasFailed: false }
      this.#records.set(entry.orderedBy, record)
    }
    record.items.push({ entry, state: 'waiting' })
    this.#size++
    this.#advance(record)
  }

  /** Stops sending and ignores pending responses. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  get #isPaused(): boolean {
    return this.#timer !== undefined
  }

  /** Sends waiting entries. After a failure it waits until nothing is in flight and resends all. */
  #advance(record: RecordQueue): void {
    if (this.#isPaused || this.#isClosed || (record.hasFailed && record.inFlight > 0)) {
      return
    }
    if (record.hasFailed) {
      record.hasFailed = false
      record.items.forEach((item) => (item.state = 'waiting'))
    }
    record.items
      .filter(({ state }) => state === 'waiting')
      .forEach((item) => void this.#send(record, item))
  }

  async #send(record: RecordQueue, item: LaneItem): Promise<void> {
    item.state = 'sent'
    record.inFlight++
    if (this.#inFlight++ === 0) {
      this.#lastProgressAt = performance.now()
    }
    try {
      await this.#destination.deliver(item.entry)
      item.state = 'arrived'
      this.#failures = 0
    } catch (error) {
      record.hasFailed = true
      this.#pauseAfter(error)
    }
    record.inFlight--
    this.#inFlight--
    this.#lastProgressAt = performance.now()
    this.#settle(record, item.entry.orderedBy)
  }

  #settle(record: RecordQueue, orderedBy: string): void {
    while (!this.#isClosed && record.items[0]?.state === 'arrived') {
      this.#size--
      this.#options.onSettled(this, record.items.shift()!.entry)
    }
    if (record.items.length === 0) {
      this.#records.delete(orderedBy)
    } else {
      this.#advance(record)
    }
  }

  #pauseAfter(error: unknown): void {
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
    this.#records.forEach((record) => this.#advance(record))
  }
}
