import type { Actor } from '#kernel/actor'
import { ServiceUnavailable } from '#kernel/failures'

interface Most {
  readonly perCaller: number
  readonly inAll: number
}

/** Bounds how much of something costly is under way at once: for one caller, so that others have their turn, and for all. */
export class Turns {
  readonly #most: Most
  readonly #refusal: string
  readonly #underWay = new Map<string, number>()
  #inAll = 0

  constructor(most: Most, refusal: string) {
    this.#most = most
    this.#refusal = refusal
  }

  /** Throws where too much is under way; what it answers is called when this is over. */
  begin({ kind, id }: Actor): () => void {
    const caller = `${kind} ${id}`
    const own = this.#underWay.get(caller) ?? 0
    if (own >= this.#most.perCaller || this.#inAll >= this.#most.inAll) {
      throw new ServiceUnavailable(`${this.#refusal}; try again when that is over`)
    }
    this.#underWay.set(caller, own + 1)
    this.#inAll++
    return () => this.#end(caller)
  }

  #end(caller: string): void {
    this.#inAll--
    const left = this.#underWay.get(caller)! - 1
    if (left === 0) {
      this.#underWay.delete(caller)
    } else {
      this.#underWay.set(caller, left)
    }
  }
}
