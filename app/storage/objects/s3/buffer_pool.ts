/** The usual size of a part. */
export const BUFFER_BYTES = 8 * 1024 ** 2

/** Enough for a few uploads at full speed; further ones use no pooled buffers. */
const MAX_ACQUIRED = 12
const MAX_FREE = 6

/**
 * A pool of buffers for parts: allocating and clearing that much memory per part would cost more than everything
 * else.
 */
export class BufferPool {
  #free: Buffer[] = []
  #acquired = 0

  /** A buffer with undefined content; undefined if too many are in use. */
  acquire(): Buffer | undefined {
    if (this.#acquired >= MAX_ACQUIRED) {
      return undefined
    }
    this.#acquired++
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  /** Returns a buffer that is no longer read. */
  release(buffer: Buffer): void {
    this.#acquired--
    if (this.#free.length < MAX_FREE) {
      this.#free.push(buffer)
    }
  }

  /** Gives a buffer up that may still be read; it is not reused. */
  discard(): void {
    this.#acquired--
  }
}
