/** How long bytes of a slow client may stay unstored. */
const CHUNK_WITHIN_MS = 10_000

/**
 * Divides the body of one request into chunks that are stored one by one. If the source fails or is stopped, the
 * current chunk ends normally, and `failure` has the reason.
 */
export class ChunkReader {
  readonly #source: AsyncIterator<Uint8Array, void>
  readonly #stop: AbortSignal
  readonly #chunkWithinMs: number
  #reading: Promise<void> | undefined
  #pending: Uint8Array | undefined
  #isEnded = false
  failure: unknown

  constructor(
    source: AsyncGenerator<Uint8Array, void, undefined>,
    stop: AbortSignal,
    chunkWithinMs = CHUNK_WITHIN_MS
  ) {
    this.#source = source
    this.#stop = stop
    this.#chunkWithinMs = chunkWithinMs
  }

  /** Waits for bytes; false at the end. */
  async hasMore(): Promise<boolean> {
    while (!this.#pending && !this.#isEnded) {
      await this.#readNext()
    }
    return this.#pending !== undefined
  }

  /** The next bytes: this many, or those of the next seconds. */
  async *nextChunk(bytes: number): AsyncGenerator<Uint8Array, void, undefined> {
    const time = Promise.withResolvers<void>()
    const timer = setTimeout(time.resolve, this.#chunkWithinMs)
    const endsAt = performance.now() + this.#chunkWithinMs
    let room = bytes
    try {
      while (room > 0 && performance.now() < endsAt) {
        const chunk = await this.#readUpTo(room, time.promise)
        if (!chunk) {
          return
        }
        room -= chunk.length
        yield chunk
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** All bytes as one chunk. */
  async *all(): AsyncGenerator<Uint8Array, void, undefined> {
    while (await this.hasMore()) {
      yield this.#slice(Number.POSITIVE_INFINITY)
    }
  }

  async #readUpTo(room: number, timeIsUp: Promise<void>): Promise<Uint8Array | undefined> {
    if (!this.#pending) {
      await Promise.race([this.hasMore(), timeIsUp])
    }
    return this.#pending && this.#slice(room)
  }

  #slice(room: number): Uint8Array {
    const all = this.#pending!
    this.#pending = all.length > room ? all.subarray(room) : undefined
    return all.subarray(0, Math.min(room, all.length))
  }

  /** Shared by concurrent callers; the result is in `#pending`. */
  #readNext(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #read(): Promise<void> {
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const onStop = () => reject(this.#stop.reason)
    this.#stop.addEventListener('abort', onStop)
    try {
      this.#stop.throwIfAborted()
      const { done, value } = await Promise.race([this.#source.next(), stopped])
      if (done) {
        this.#isEnded = true
      } else if (value.length > 0) {
        this.#pending = value
      }
    } catch (error) {
      this.#isEnded = true
      this.failure = error
    } finally {
      this.#stop.removeEventListener('abort', onStop)
    }
  }
}
