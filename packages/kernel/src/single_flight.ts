/** Concurrent callers with the same key share one execution. The result is not cached. */
export class SingleFlight<Key, Result> {
  readonly #underWay = new Map<Key, Promise<Result>>()

  isUnderWay(key: Key): boolean {
    return this.#underWay.has(key)
  }

  run(key: Key, work: () => Promise<Result>): Promise<Result> {
    let flight = this.#underWay.get(key)
    if (!flight) {
      flight = work().finally(() => this.#underWay.delete(key))
      this.#underWay.set(key, flight)
    }
    return flight
  }
}
