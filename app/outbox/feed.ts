import type { Entry } from './entry.js'

/** Entries a feed holds at most, and what it lets come together before it asks the database for the next. */
const HELD_AT_MOST = 2_000
const BATCH = 500
const LINGER_MS = 20

/** An entry with the destinations it is on its way to, and those it reached since it was read. */
interface Held {
  entry: Entry
  waiting: number
  reached: number
  /** Whether the feed has read it, or only took over a destination from one that has. */
  isRead: boolean
}

export interface Finished {
  readonly position: number
  readonly reached: number
  /** Whether it has reached every destination it still had to go to when it was read. */
  readonly isDone: boolean
}

/**
 * The entries that were read for some lanes and are on their way, and those that are through and wait to be marked.
 */
export class Feed {
  /** Positions up to here need not be looked at again. */
  floor = 0
  /** Whether there may be entries that were not read yet. */
  isUnread = true
  readonly #held = new Map<number, Held>()
  #finished = new Map<number, Finished>()
  #finishedSince = 0
  #readAt = -Infinity

  /** What need not be read again. */
  get known(): number[] {
    return [...this.#held.values()]
      .filter(({ isRead }) => isRead)
      .map(({ entry }) => entry.position)
  }

  /** Whether nothing is on its way. */
  get isIdle(): boolean {
    return this.#held.size === 0
  }

  /** Whether something is through for the first time since what was through is marked. */
  get isFirstThrough(): boolean {
    return this.#finished.size === 1
  }

  /** How many entries to read next: none while too little has got through, or may have been written, since the last time. */
  appetite(now: number): number {
    return this.#mayRead && now >= this.#readAt + LINGER_MS ? BATCH : 0
  }

  /** Entries were read; where there may be more of them, the next are read without a pause. */
  noteRead(count: number, limit: number, now: number): void {
    this.isUnread = count === limit
    this.#readAt = this.isUnread || count === 0 ? -Infinity : now
  }

  /** Whether what is through should be marked now rather than with what follows. */
  isRipe(now: number): boolean {
    const { size } = this.#finished
    return size >= BATCH || (size > 0 && now - this.#finishedSince >= LINGER_MS)
  }

  /** Milliseconds until there is something to exchange with the database, unless more happens; undefined where nothing is. */
  get lingersForMs(): number | undefined {
    const since = [
      ...(this.#finished.size > 0 ? [this.#finishedSince] : []),
      ...(this.#mayRead ? [this.#readAt] : []),
    ]
    return since.length === 0
      ? undefined
      : Math.max(0, Math.min(...since) + LINGER_MS - performance.now())
  }

  /** The destinations that an entry which was read just now has to be handed to, and was not yet. */
  destinationsLeft({ position, pending }: Entry): number {
    const { waiting = 0, reached = 0 } = this.#held.get(position) ?? {}
    const marked = this.#finished.get(position)?.reached ?? 0
    return pending & ~waiting & ~reached & ~marked
  }

  /** Holds an entry that was read until it reached the destinations. */
  hold(entry: Entry, destinations: number): void {
    if (destinations === 0 && !this.#held.has(entry.position)) {
      return
    }
    const held = this.#heldOf(entry)
    held.entry = entry
    held.isRead = true
    held.waiting |= destinations
  }

  /** Waits in place of another feed for a destination; for its others the entry still has to be read. */
  adopt(entry: Entry, destination: number): void {
    this.#heldOf(entry).waiting |= destination
  }

  /** The entry reached a destination. */
  reached(position: number, destination: number): void {
    const held = this.#held.get(position)!
    held.reached |= destination
    this.#stopWaiting(held, destination)
  }

  /** Another feed waits for the destination from now on. */
  release(position: number, destination: number): void {
    this.#stopWaiting(this.#held.get(position)!, destination)
  }

  /** What reached a destination already and waits for others still, to be marked as far as it is. */
  reachedBy(destination: number): Finished[] {
    return [...this.#held.values()]
      .filter(({ reached }) => (reached & destination) !== 0)
      .map(({ entry }) => ({ position: entry.position, reached: destination, isDone: false }))
  }

  takeFinished(): readonly Finished[] {
    const finished = [...this.#finished.values()]
    this.#finished = new Map()
    return finished
  }

  /** Takes over what is through elsewhere. */
  addFinished(finished: readonly Finished[]): void {
    finished.forEach((each) => this.#addFinished(each))
  }

  get #mayRead(): boolean {
    return this.isUnread && this.#held.size + BATCH <= HELD_AT_MOST
  }

  #heldOf(entry: Entry): Held {
    let held = this.#held.get(entry.position)
    if (!held) {
      held = { entry, waiting: 0, reached: 0, isRead: false }
      this.#held.set(entry.position, held)
    }
    return held
  }

  #stopWaiting(held: Held, destination: number): void {
    held.waiting &= ~destination
    if (held.waiting === 0) {
      this.#held.delete(held.entry.position)
      this.#finish(held)
    }
  }

  #finish({ entry: { position, pending }, reached }: Held): void {
    if (reached !== 0) {
      this.#addFinished({ position, reached, isDone: reached === pending })
    }
  }

  #addFinished({ position, reached, isDone }: Finished): void {
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
