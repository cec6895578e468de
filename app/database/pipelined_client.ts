import pg from 'pg'

/**
 * A connection whose statements do not wait for the answers of those before them. All that are asked for in one turn of the
 * event loop leave in one packet.
 */
export class PipelinedClient extends pg.Client {
  readonly #onLeaving: () => void
  #isGathering = false

  /** `onLeaving` is told when what was gathered leaves. */
  constructor(settings: pg.ClientConfig, onLeaving: () => void = () => {}) {
    super({ ...settings, pipeline: true })
    this.#onLeaving = onLeaving
  }

  /** Whether what is asked now leaves together with something else. */
  get isGathering(): boolean {
    return this.#isGathering
  }

  override query(...statement: any[]): any {
    this.#gather()
    return (super.query as (...statement: any[]) => any).apply(this, statement)
  }

  #gather(): void {
    if (this.#isGathering) {
      return
    }
    const { stream } = this.connection
    this.#isGathering = true
    stream.cork()
    setImmediate(() => {
      this.#isGathering = false
      this.#onLeaving()
      stream.uncork()
    })
  }
}
