/** Iterates over batches row by row. */
export class RowCursor<T> {
  readonly #portions: AsyncIterator<readonly T[]>
  #portion: readonly T[] = []
  #at = 0

  constructor(portions: AsyncIterable<readonly T[]>) {
    this.#portions = portions[Symbol.asyncIterator]()
  }

  /** The next row of the current batch, or undefined if another batch must be fetched. */
  nextBuffered(): T | undefined {
    return this.#portion[this.#at++]
  }

  /** The next row, or undefined at the end. */
  async next(): Promise<T | undefined> {
    const buffered = this.nextBuffered()
    if (buffered !== undefined) {
      return buffered
    }
    const { done: isDone, value } = await this.#portions.next()
    this.#portion = isDone ? [] : value
    this.#at = 0
    return this.nextBuffered()
  }

  async close(): Promise<void> {
    await this.#portions.return?.()
  }
}
