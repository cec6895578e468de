import pg from 'pg'

/**
 * A connection whose statements do not wait for the answers of those before them. All that are asked for in one turn of the
 * event loop leave in one packet.
 */
export class PipelinedClient extends pg.Client {
  readonly #onFlush: () => void
  #isCorked = false

  /** `onLeaving` is told when what was gathered leaves. */
  constructor(settings: pg.ClientConfig, onFlush: () => void = () => {}) {
    super({ ...settings, pipeline: true })
    this.#onFlush = onFlush
  }

  /** Whether what is asked now leaves together with something else. */
  get isCorked(): boolean {
    return this.#isCorked
  }

  override query(...statement: any[]): any {
    this.#cork()
    return (super.query as (...statement: any[]) => any).apply(this, statement)
  }

  #cork(): void {
    if (this.#isCorked) {
      return
    }
    const { stream } = this.connection
    this.#isCorked = true
    stream.cork()
    setImmediate(() => {
      this.#isCorked = false
      this.#onFlush()
      stream.uncork()
    })
  }
}
