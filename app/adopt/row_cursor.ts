/** Goes through portions row by row. */
export class RowCursor<T> {
  readonly #portions: AsyncIterator<readonly T[]>
  #portion: readonly T[] = []
  #at = 0

  constructor(portions: AsyncIterable<readonly T[]>) {
    this.#portions = portions[Symbol.asyncIterator]()
  }

  /** The next row of the portion that is held; undefined where another has to be fetched. */
  nextBuffered(): T | undefined {
    return this.#portion[this.#at++]
  }

  /** The next row of all; undefined at the end. */
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
