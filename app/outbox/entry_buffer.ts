import { LINGER_MS } from './reader.js'

/** The destinations of an entry as bits. */
interface BufferedEntry {
  /** To be marked in the database. */
  pending: number
  /** Handed to lanes, and not yet marked. */
  taken: number
  /** Of these, those that have it. */
  reached: number
}

/** The destinations that an entry has reached. */
export interface Mark {
  readonly position: number
  readonly destinations: number
  /** Whether no other destination is pending. */
  readonly isLast: boolean
}

/** The entries that were handed to lanes, in order, until the database has marked or deleted them. */
export class EntryBuffer {
  /** Whether an entry gets no mark before it has reached all its destinations, so that its marks are one deletion. */
  waitsForAll = true
  readonly #entries = new Map<number, BufferedEntry>()
  #dueAt = Infinity

  /** Milliseconds until marks should be written; undefined if none wait. */
  dueInMs(now: number): number | undefined {
    return this.#dueAt === Infinity ? undefined : Math.max(0, this.#dueAt - now)
  }

  /** The positions at which nothing is left to be read for the destinations. */
  positionsTakenFor(destinations: number): number[] {
    return [...this.#entries]
      .filter(
        ([, { pending, taken }]) => taken & destinations && !(pending & ~taken & destinations)
      )
      .map(([position]) => position)
  }

  /** Adds an entry for some of its destinations; returns those for which it was not added before. */
  take(position: number, pending: number, destinations: number): number {
    const buffered = this.#entries.get(position) ?? { pending, taken: 0, reached: 0 }
    const added = buffered.pending & destinations & ~buffered.taken
    buffered.taken |= added
    this.#entries.set(position, buffered)
    return added
  }

  /** Returns whether it brought the first mark since the marks were last collected. */
  markReached(position: number, destination: number, now: number): boolean {
    const buffered = this.#entries.get(position)!
    buffered.reached |= destination
    const isFirst = this.#dueAt === Infinity && this.#isDue(buffered)
    if (isFirst) {
      this.#dueAt = now + LINGER_MS
    }
    return isFirst
  }

  /**
   * The marks to write. No mark precedes that of an earlier entry of the record, which would be sent again after it. The
   * entries stay until `remove`, so that a read meanwhile does not return them as new.
   */
  takeMarks(): Mark[] {
    this.#dueAt = Infinity
    const due = [...this.#entries].filter(([, buffered]) => this.#isDue(buffered))
    return due.map(([position, buffered]) => {
      const { reached } = buffered
      buffered.pending &= ~reached
      buffered.reached = 0
      return { position, destinations: reached, isLast: buffered.pending === 0 }
    })
  }

  /** Removes what was marked. */
  remove(marks: readonly Mark[]): void {
    for (const { position, destinations } of marks) {
      const buffered = this.#entries.get(position)!
      buffered.taken &= ~destinations
      if (buffered.taken === 0) {
        this.#entries.delete(position)
      }
    }
  }

  #isDue({ pending, reached }: BufferedEntry): boolean {
    return reached !== 0 && (reached === pending || !this.waitsForAll)
  }
}
