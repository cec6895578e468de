import type { Actor } from '#kernel/actor'
import { ServiceUnavailable } from '#kernel/failures'

interface Concurrency {
  readonly perCaller: number
  readonly total: number
}

/** Limits concurrent expensive operations per caller and in total. */
export class ConcurrencyLimit {
  readonly #limits: Concurrency
  readonly #refusal: string
  readonly #byCaller = new Map<string, number>()
  #total = 0

  constructor(limits: Concurrency, refusal: string) {
    this.#limits = limits
    this.#refusal = refusal
  }

  /** Throws if the limit is reached. The returned function ends the operation. */
  start({ kind, id }: Actor): () => void {
    const caller = `${kind} ${id}`
    const own = this.#byCaller.get(caller) ?? 0
    if (own >= this.#limits.perCaller || this.#total >= this.#limits.total) {
      throw new ServiceUnavailable(`${this.#refusal}; try again later`)
    }
    this.#byCaller.set(caller, own + 1)
    this.#total++
    return () => this.#end(caller)
  }

  #end(caller: string): void {
    this.#total--
    const remaining = this.#byCaller.get(caller)! - 1
    if (remaining === 0) {
      this.#byCaller.delete(caller)
    } else {
      this.#byCaller.set(caller, remaining)
    }
  }
}
