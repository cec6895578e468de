/** As large as a part usually is. */
export const BUFFER_BYTES = 8 * 1024 ** 2

/** Few uploads at full speed have all of theirs from here; where there are many, the others do without. */
const LENT_AT_MOST = 12
const KEPT = 6

/**
 * Memory for parts that is used again and again: to have so much of it made and cleared away for every part costs more than all
 * else that is done with its bytes.
 */
export class PartBuffers {
  #free: Buffer[] = []
  #lent = 0

  /** A buffer, unless too many are lent. What is in it is left over from before. */
  borrow(): Buffer | undefined {
    if (this.#lent >= LENT_AT_MOST) {
      return undefined
    }
    this.#lent++
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  /** Takes back what is not read any more. */
  giveBack(buffer: Buffer): void {
    this.#lent--
    if (this.#free.length < KEPT) {
      this.#free.push(buffer)
    }
  }

  /** A buffer that may still be read is never lent again. */
  forget(): void {
    this.#lent--
  }
}

export const partBuffers = new PartBuffers()
