import { ServiceUnavailable } from '#kernel/failures'

const MAX_WAITING = 500

/** How many preferred ones are served in a row while others wait. */
const PREFERRED_IN_A_ROW = 2

/** Whose work it is: keys are served in turn. */
export interface Priority {
  readonly key: string
  /** Served before others, which still have every third turn. */
  readonly isPreferred: boolean
}

const SOMEBODY: Priority = { key: '', isPreferred: false }

/**
 * Limits concurrent work. Waiting work queues by key and the keys are served in turn, so that no caller waits for all
 * work of another one, and preferred work not for all other callers. If too much waits, work of long queues is
 * rejected.
 */
export class FairQueue {
  readonly #preferred: Lines
  readonly #others: Lines
  #preferredInARow = 0
  #free: number

  constructor(atOnce: number, waitingAtMost = MAX_WAITING) {
    this.#free = atOnce
    this.#preferred = new Lines(waitingAtMost)
    this.#others = new Lines(waitingAtMost)
  }

  async run<T>(work: () => Promise<T>, priority = SOMEBODY): Promise<T> {
    await this.#acquire(priority)
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next) {
        next()
      } else {
        this.#free++
      }
    }
  }

  async #acquire({ key, isPreferred }: Priority): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    await (isPreferred ? this.#preferred : this.#others).wait(key)
  }

  #next(): (() => void) | undefined {
    const isTurnOfOthers = this.#preferredInARow >= PREFERRED_IN_A_ROW
    const other = isTurnOfOthers ? this.#others.next() : undefined
    const preferred = other ? undefined : this.#preferred.next()
    this.#preferredInARow = preferred ? this.#preferredInARow + 1 : 0
    return other ?? preferred ?? this.#others.next()
  }
}

/** Lines of waiting work, one for each key. */
class Lines {
  readonly #lines = new Map<string, (() => void)[]>()
  readonly #most: number
  #waiting = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Resolves when it is the key's turn. Throws if its line, or all of them, are too long. */
  async wait(key: string): Promise<void> {
    const line = this.#lines.get(key) ?? []
    // Each key has a share of the capacity, so that a full one leaves some to others.
    const lines = Math.max(2, this.#lines.size + (line.length === 0 ? 1 : 0))
    if (line.length >= this.#most / lines || this.#waiting >= 2 * this.#most) {
      throw new ServiceUnavailable('Too many concurrent logins: try again shortly')
    }
    this.#lines.set(key, line)
    this.#waiting++
    await new Promise<void>((resolve) => line.push(resolve))
  }

  /** The first of the key that was not served for the longest time. */
  next(): (() => void) | undefined {
    const [served] = this.#lines
    if (!served) {
      return undefined
    }
    const [key, line] = served
    this.#waiting--
    const next = line.shift()!
    this.#lines.delete(key)
    if (line.length > 0) {
      this.#lines.set(key, line)
    }
    return next
  }
}
