/** Reads a stream of pieces in lengths of one's own. Holds no more than the piece at hand. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Exactly as many bytes; undefined where the stream was over already, or ends within them. */
  async exactly(length: number): Promise<Buffer | undefined> {
    const whole = Buffer.alloc(length)
    let at = 0
    for await (const piece of this.upTo(length)) {
      whole.set(piece, at)
      at += piece.byteLength
    }
    return at === length ? whole : undefined
  }

  /** As many bytes, piece by piece, or fewer where the stream ends before. */
  async *upTo(length: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let left = length; left > 0;) {
      if (this.#rest.byteLength === 0 && !(await this.#next())) {
        return
      }
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.byteLength)
      left -= piece.byteLength
      yield piece
    }
  }

  /** Lets go of the stream. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    this.#rest = value ?? new Uint8Array(0)
    return !done
  }
}
