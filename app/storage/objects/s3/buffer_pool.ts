/** As large as a part usually is. */
export const BUFFER_BYTES = 8 * 1024 ** 2

/** Few uploads at full speed have all of theirs from here; where there are many, the others do without. */
const MAX_ACQUIRED = 12
const MAX_FREE = 6

/**
 * Memory for parts that is used again and again: to have so much of it made and cleared away for every part costs more than all
 * else that is done with its bytes.
 */
export class BufferPool {
  #free: Buffer[] = []
  #acquired = 0

  /** A buffer, unless too many are lent. What is in it is left over from before. */
  acquire(): Buffer | undefined {
    if (this.#acquired >= MAX_ACQUIRED) {
      return undefined
    }
    this.#acquired++
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  /** Takes back what is not read any more. */
  release(buffer: Buffer): void {
    this.#acquired--
    if (this.#free.length < MAX_FREE) {
      this.#free.push(buffer)
    }
  }

  /** A buffer that may still be read is never lent again. */
  discard(): void {
    this.#acquired--
  }
}

export const bufferPool = new BufferPool()
