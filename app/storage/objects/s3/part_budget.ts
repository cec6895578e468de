interface Waiting {
  readonly holder: object
  readonly bytes: number
  readonly grant: () => void
}

/** An upload that stands still with memory of its own is not waited for any longer than this. */
const PATIENCE_MS = 250

/**
 * The memory that all uploads of a process share for parts that are gathered or sent. An upload that gets none waits. As all
 * could wait for each other with parts half full, one of them may overdraw until it has sent its part; where that one stands
 * still because its client does, so may the next.
 */
export class PartBudget {
  #free: number
  #waiting: Waiting[] = []
  #overdrawn = new Set<object>()
  #patience: NodeJS.Timeout | undefined

  constructor(bytes: number) {
    this.#free = bytes
  }

  /** Whether more is taken than there is. */
  get isOverdrawn(): boolean {
    return this.#free < 0
  }

  /** Takes memory where that is possible without waiting. */
  tryTake(holder: object, bytes: number): boolean {
    const isNext = this.#waiting.length === 0 && bytes <= this.#free
    if (!isNext && !this.#overdrawn.has(holder)) {
      return false
    }
    this.#free -= bytes
    return true
  }

  /** Takes memory as soon as it is there, first come, first served. An upload that waits must have no part under way. */
  async take(holder: object, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.tryTake(holder, bytes)) {
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { holder, bytes, grant: resolve }
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      reject(signal.reason)
      this.#serve()
    }
    signal.addEventListener('abort', giveUp)
    this.#waiting.push(waiting)
    this.#serve()
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Gives memory back; an upload that gives any back no longer overdraws. */
  give(holder: object, bytes: number): void {
    this.#free += bytes
    this.#overdrawn.delete(holder)
    this.#serve()
  }

  #serve(): void {
    clearTimeout(this.#patience)
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (next.bytes > this.#free && this.#overdrawn.size > 0) {
        break
      }
      this.#grant(next)
    }
    if (this.#waiting.length > 0) {
      this.#patience = setTimeout(() => this.#passOn(), PATIENCE_MS).unref()
    }
  }

  #passOn(): void {
    this.#grant(this.#waiting[0]!)
    this.#serve()
  }

  #grant({ holder, bytes, grant }: Waiting): void {
    if (bytes > this.#free) {
      this.#overdrawn.add(holder)
    }
    this.#free -= bytes
    this.#waiting.shift()
    grant()
  }
}
