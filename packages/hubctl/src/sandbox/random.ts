/** A generator of pseudo-random numbers: the same seed gives the same numbers on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** From a normal distribution, by twelve uniform numbers, so that no function of a machine's library matters. */
  normal(mean: number, deviation: number): number {
    let sum = -6
    for (let count = 0; count < 12; count += 1) {
      sum += this.next()
    }
    return mean + sum * deviation
  }
}
