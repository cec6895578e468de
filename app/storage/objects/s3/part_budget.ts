import { BufferPool } from './buffer_pool.js'

interface BudgetRequest {
  readonly owner: object
  readonly bytes: number
  readonly grant: () => void
}

/** How long others wait for an upload that holds memory and makes no progress. */
const OVERDRAFT_AFTER_MS = 250

/**
 * The memory that the uploads to a store share for parts. Uploads wait for memory. To avoid a deadlock of
 * half-filled parts, one of them may overdraw the budget until it has sent its part; if its client stalls, the next
 * one may as well.
 */
export class PartBudget {
  /** The buffers that parts are collected in. */
  readonly buffers = new BufferPool()
  #free: number
  #queue: BudgetRequest[] = []
  #overdrawn = new Set<object>()
  #overdraftTimer: NodeJS.Timeout | undefined

  constructor(bytes: number) {
    this.#free = bytes
  }

  /** Whether the budget is overdrawn. */
  get isOverdrawn(): boolean {
    return this.#free < 0
  }

  /** Acquires memory if that is possible without waiting. */
  tryAcquire(owner: object, bytes: number): boolean {
    const isNext = this.#queue.length === 0 && bytes <= this.#free
    if (!isNext && !this.#overdrawn.has(owner)) {
      return false
    }
    this.#free -= bytes
    return true
  }

  /** Acquires memory in order of arrival. A waiting upload must have no part in flight. */
  async acquire(owner: object, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.tryAcquire(owner, bytes)) {
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const request = { owner, bytes, grant: resolve }
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

  /** Releases memory, which ends an overdraft of the upload. */
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

  #grant({ owner, bytes, grant }: BudgetRequest): void {
    if (bytes > this.#free) {
      this.#overdrawn.add(owner)
    }
    this.#free -= bytes
    this.#queue.shift()
    grant()
  }
}
