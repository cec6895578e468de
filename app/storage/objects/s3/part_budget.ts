interface BudgetRequest {
  readonly owner: object
  readonly bytes: number
  readonly grant: () => void
}

/** An upload that stands still with memory of its own is not waited for any longer than this. */
const OVERDRAFT_AFTER_MS = 250

/**
 * The memory that all uploads of a process share for parts that are gathered or sent. An upload that gets none waits. As all
 * could wait for each other with parts half full, one of them may overdraw until it has sent its part; where that one stands
 * still because its client does, so may the next.
 */
export class PartBudget {
  #free: number
  #queue: BudgetRequest[] = []
  #overdrawn = new Set<object>()
  #overdraftTimer: NodeJS.Timeout | undefined

  constructor(bytes: number) {
    this.#free = bytes
  }

  /** Whether more is taken than there is. */
  get isOverdrawn(): boolean {
    return this.#free < 0
  }

  /** Takes memory where that is possible without waiting. */
  tryAcquire(owner: object, bytes: number): boolean {
    const isNext = this.#queue.length === 0 && bytes <= this.#free
    if (!isNext && !this.#overdrawn.has(owner)) {
      return false
    }
    this.#free -= bytes
    return true
  }

  /** Takes memory as soon as it is there, first come, first served. An upload that waits must have no part under way. */
  async acquire(owner: object, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.tryAcquire(owner, bytes)) {
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const request = { holder: owner, bytes, grant: resolve }
    const onAbort = () => {
      this.#queue = this.#queue.filter((other) => other !== request)
      reject(signal.reason)
      this.#serve()
    }
    signal.addEventListener('abort', onAbort)
    this.#queue.push(request)
    this.#serve()
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Gives memory back; an upload that gives any back no longer overdraws. */
  release(owner: object, bytes: number): void {
    this.#free += bytes
    this.#overdrawn.delete(owner)
    this.#serve()
  }

  #serve(): void {
    clearTimeout(this.#overdraftTimer)
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      if (next.bytes > this.#free && this.#overdrawn.size > 0) {
        break
      }
      this.#grant(next)
    }
    if (this.#queue.length > 0) {
      this.#overdraftTimer = setTimeout(() => this.#allowOverdraft(), OVERDRAFT_AFTER_MS).unref()
    }
  }

  #allowOverdraft(): void {
    this.#grant(this.#queue[0]!)
    this.#serve()
  }

  #grant({ owner: holder, bytes, grant }: BudgetRequest): void {
    if (bytes > this.#free) {
      this.#overdrawn.add(holder)
    }
    this.#free -= bytes
    this.#queue.shift()
    grant()
  }
}
