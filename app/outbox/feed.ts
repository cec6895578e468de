import type { Entry } from './entry.js'

/** The maximum of tracked entries, the batch size, and the time in which small batches accumulate. */
const MAX_ENTRIES = 2_000
const BATCH = 500
const LINGER_MS = 20

/** A tracked entry with the bits of the destinations it is being sent to and of those it has reached. */
interface TrackedEntry {
  entry: Entry
  waiting: number
  reached: number
  /** Whether this feed has read the entry; otherwise it only took over a destination from a feed that has. */
  isRead: boolean
}

export interface DeliveryProgress {
  readonly position: number
  readonly reached: number
  /** Whether the entry has reached all destinations that were pending when it was read. */
  readonly isDone: boolean
}

/**
 * The entries that were read for some lanes: those in flight, and those delivered but not yet marked in the database.
 */
export class Feed {
  /** Positions up to this one need not be read again. */
  floor = 0
  /** Whether there may be unread entries. */
  isUnread = true
  readonly #entries = new Map<number, TrackedEntry>()
  #finished = new Map<number, DeliveryProgress>()
  #finishedSince = 0
  #readAt = -Infinity

  /** The positions of tracked entries, which need not be read again. */
  get readPositions(): number[] {
    return [...this.#entries.values()]
      .filter(({ isRead }) => isRead)
      .map(({ entry }) => entry.position)
  }

  /** Whether nothing is in flight. */
  get isIdle(): boolean {
    return this.#entries.size === 0
  }

  /** Whether exactly one entry waits to be marked. */
  get isFirstFinished(): boolean {
    return this.#finished.size === 1
  }

  /** The number of entries to read next: 0 while the feed is full, or until a pause after the last read has passed. */
  nextBatchSize(now: number): number {
    return this.#canRead && now >= this.#readAt + LINGER_MS ? BATCH : 0
  }

  /** Records a read. A full batch is followed by the next one without a pause. */
  recordRead(count: number, limit: number, now: number): void {
    this.isUnread = count === limit
    this.#readAt = this.isUnread || count === 0 ? -Infinity : now
  }

  /** Whether finished entries should be marked now instead of accumulating. */
  isFlushDue(now: number): boolean {
    const { size } = this.#finished
    return size >= BATCH || (size > 0 && now - this.#finishedSince >= LINGER_MS)
  }

  /** Milliseconds until the next exchange with the database is due; undefined if none is. */
  get nextExchangeInMs(): number | undefined {
    const since = [
      ...(this.#finished.size > 0 ? [this.#finishedSince] : []),
      ...(this.#canRead ? [this.#readAt] : []),
    ]
    return since.length === 0
      ? undefined
      : Math.max(0, Math.min(...since) + LINGER_MS - performance.now())
  }

  /** The pending destinations of an entry that this feed has not sent it to. */
  pendingDestinations({ position, pending }: Entry): number {
    const { waiting = 0, reached = 0 } = this.#entries.get(position) ?? {}
    const marked = this.#finished.get(position)?.reached ?? 0
    return pending & ~waiting & ~reached & ~marked
  }

  /** Tracks an entry until it has reached the destinations. */
  track(entry: Entry, destinations: number): void {
    if (destinations === 0 && !this.#entries.has(entry.position)) {
      return
    }
    const tracked = this.#track(entry)
    tracked.entry = entry
    tracked.isRead = true
    tracked.waiting |= destinations
  }

  /** Takes over one destination of an entry from another feed. Its other destinations still have to be read. */
  adopt(entry: Entry, destination: number): void {
    this.#track(entry).waiting |= destination
  }

  markReached(position: number, destination: number): void {
    const tracked = this.#entries.get(position)!
    tracked.reached |= destination
    this.#stopWaiting(tracked, destination)
  }

  /** Hands one destination of an entry over to another feed. */
  release(position: number, destination: number): void {
    this.#stopWaiting(this.#entries.get(position)!, destination)
  }

  /** The tracked entries that have reached a destination but still wait for others. */
  reachedBy(destination: number): DeliveryProgress[] {
    return [...this.#entries.values()]
      .filter(({ reached }) => (reached & destination) !== 0)
      .map(({ entry }) => ({ position: entry.position, reached: destination, isDone: false }))
  }

  takeFinished(): readonly DeliveryProgress[] {
    const finished = [...this.#finished.values()]
    this.#finished = new Map()
    return finished
  }

  /** Adds finished entries of another feed. */
  addFinished(finished: readonly DeliveryProgress[]): void {
    finished.forEach((each) => this.#addFinished(each))
  }

  get #canRead(): boolean {
    return this.isUnread && this.#entries.size + BATCH <= MAX_ENTRIES
  }

  #track(entry: Entry): TrackedEntry {
    let tracked = this.#entries.get(entry.position)
    if (!tracked) {
      tracked = { entry, waiting: 0, reached: 0, isRead: false }
      this.#entries.set(entry.position, tracked)
    }
    return tracked
  }

  #stopWaiting(tracked: TrackedEntry, destination: number): void {
    tracked.waiting &= ~destination
    if (tracked.waiting === 0) {
      this.#entries.delete(tracked.entry.position)
      this.#finish(tracked)
    }
  }

  #finish({ entry: { position, pending }, reached }: TrackedEntry): void {
    if (reached !== 0) {
      this.#addFinished({ position, reached, isDone: reached === pending })
    }
  }

  #addFinished({ position, reached, isDone }: DeliveryProgress): void {
    if (this.#finished.size === 0) {
      this.#finishedSince = performance.now()
    }
    const known = this.#finished.get(position)
    this.#finished.set(position, {
      position,
      reached: reached | (known?.reached ?? 0),
      isDone: isDone || known?.isDone === true,
    })
  }
}
