/** What several gauges show at a scrape. They share one reading, and sources that fail are left out. */
export class ScrapedRows<Row> {
  readonly #sources = new Map<string, () => Promise<readonly Row[]>>()
  #pendingRead: Promise<readonly Row[]> | undefined

  /** Shows the rows of a source until the returned function is called. */
  show(source: string, read: () => Promise<readonly Row[]>): () => void {
    this.#sources.set(source, read)
    return () => {
      this.#sources.delete(source)
    }
  }

  read(): Promise<readonly Row[]> {
    this.#pendingRead ??= this.#readAll().finally(() => (this.#pendingRead = undefined))
    return this.#pendingRead
  }

  async #readAll(): Promise<readonly Row[]> {
    const results = await Promise.allSettled([...this.#sources.values()].map((read) => read()))
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  }
}
