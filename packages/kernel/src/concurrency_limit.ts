import type { Actor } from './actor.js'

/** Which limit was reached. */
export type LimitScope = 'caller' | 'total'

interface ConcurrencyOptions {
  readonly perCaller: number
  readonly total: number
  /** The error for a caller who has to wait, by the limit that was reached. */
  readonly refusal: (scope: LimitScope) => Error
}

/** Limits concurrent operations per caller and in total, so that one caller cannot use the share of others. */
export class ConcurrencyLimit {
  readonly #options: ConcurrencyOptions
  readonly #byCaller = new Map<string, number>()
  #total = 0

  constructor(options: ConcurrencyOptions) {
    this.#options = options
  }

  /** Throws if a limit is reached. The returned function ends the operation. */
  start({ kind, id }: Actor): () => void {
    const { perCaller, total, refusal } = this.#options
    const caller = `${kind} ${id}`
    const own = this.#byCaller.get(caller) ?? 0
    if (own >= perCaller) {
      throw refusal('caller')
    }
    if (this.#total >= total) {
      throw refusal('total')
    }
    this.#byCaller.set(caller, own + 1)
    this.#total++
    return () => this.#end(caller)
  }

  /** Does work within the limits. */
  async run<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
    const end = this.start(actor)
    try {
      return await work()
    } finally {
      end()
    }
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
