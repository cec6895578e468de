/** A slow client's bytes are not at risk for any longer than this. */
const PIECE_WITHIN_MS = 10_000

/**
 * The bytes of one request, cut into pieces that are stored one by one. A source that fails, or is to be stopped, ends a piece
 * in good order: what arrived before is kept, and `failure` says why there is no more.
 */
export class Incoming {
  readonly #source: AsyncIterator<Uint8Array, void>
  readonly #stop: AbortSignal
  readonly #pieceWithinMs: number
  #taking: Promise<void> | undefined
  #left: Uint8Array | undefined
  #isOver = false
  failure: unknown

  constructor(
    source: AsyncGenerator<Uint8Array, void, undefined>,
    stop: AbortSignal,
    pieceWithinMs = PIECE_WITHIN_MS
  ) {
    this.#source = source
    this.#stop = stop
    this.#pieceWithinMs = pieceWithinMs
  }

  /** Waits for bytes; answers false where no more will come. */
  async hasMore(): Promise<boolean> {
    while (!this.#left && !this.#isOver) {
      await this.#takeNext()
    }
    return this.#left !== undefined
  }

  /** So many of the bytes, or those that come within some seconds. */
  async *piece(bytes: number): AsyncGenerator<Uint8Array, void, undefined> {
    const time = Promise.withResolvers<void>()
    const timer = setTimeout(time.resolve, this.#pieceWithinMs)
    const endsAt = performance.now() + this.#pieceWithinMs
    let room = bytes
    try {
      while (room > 0 && performance.now() < endsAt) {
        const chunk = await this.#upTo(room, time.promise)
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

  /** All of the bytes as one piece. */
  async *whole(): AsyncGenerator<Uint8Array, void, undefined> {
    while (await this.hasMore()) {
      yield this.#cut(Number.POSITIVE_INFINITY)
    }
  }

  async #upTo(room: number, timeIsUp: Promise<void>): Promise<Uint8Array | undefined> {
    if (!this.#left) {
      await Promise.race([this.hasMore(), timeIsUp])
    }
    return this.#left && this.#cut(room)
  }

  #cut(room: number): Uint8Array {
    const all = this.#left!
    this.#left = all.length > room ? all.subarray(room) : undefined
    return all.subarray(0, Math.min(room, all.length))
  }

  /** A caller that does not wait for it any longer finds it in `#left` later. */
  #takeNext(): Promise<void> {
    this.#taking ??= this.#take().finally(() => (this.#taking = undefined))
    return this.#taking
  }

  async #take(): Promise<void> {
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const giveUp = () => reject(this.#stop.reason)
    this.#stop.addEventListener('abort', giveUp)
    try {
      this.#stop.throwIfAborted()
      const { done, value } = await Promise.race([this.#source.next(), stopped])
      if (done) {
        this.#isOver = true
      } else if (value.length > 0) {
        this.#left = value
      }
    } catch (error) {
      this.#isOver = true
      this.failure = error
    } finally {
      this.#stop.removeEventListener('abort', giveUp)
    }
  }
}
