import { DatabaseClient, type DatabaseClientSettings } from './database_client.js'

/** A connection that pipelines its statements. Those of one turn of the event loop are sent in one packet. */
export class PipelinedClient extends DatabaseClient {
  readonly #onFlush: () => void
  #isCorked = false

  /** `onFlush` is called when the buffered statements are sent. */
  constructor(settings: DatabaseClientSettings, onFlush: () => void = () => {}) {
    super({ ...settings, pipeline: true })
    this.#onFlush = onFlush
  }

  /** Whether the next statement shares its packet with others. */
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
