import pg from 'pg'

import { PipelinedClient } from './pipelined_client.js'
import { ReadConnection } from './read_connection.js'

const MAX_READ_CONNECTIONS = 4
const CHECK_MS = 1_000

/**
 * The connections of a process to one database: some for work that needs one to itself, such as a transaction, and a few
 * that single reads share.
 */
export class DatabasePool extends pg.Pool {
  readonly #readConnections: readonly ReadConnection[]
  readonly #watch: NodeJS.Timeout

  constructor({ size, ...settings }: pg.ClientConfig & { size: number }) {
    const readConnections = Math.min(MAX_READ_CONNECTIONS, Math.floor(size / 3))
    super({
      ...settings,
      Client: PipelinedClient as unknown as new () => pg.ClientBase,
      max: size - readConnections,
      idleTimeoutMillis: 30_000,
    })
    const onError = (error: Error) => void this.emit('error', error, undefined!)
    // The borrower of a connection that breaks is told by its statement; there is no other listener meanwhile.
    this.on('connect', (client) => void client.on('error', () => {}))
    this.#readConnections = Array.from(
      { length: readConnections },
      () => new ReadConnection(settings, onError)
    )
    this.#watch = setInterval(() => this.#destroyStalled(), CHECK_MS).unref()
  }

  /**
   * Runs one statement that only reads. It may share its connection with others; a statement that belongs to a transaction
   * must not be run by this.
   */
  read<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const now = performance.now()
    return this.#readConnection(now)?.read<Row>(statement) ?? this.query<Row>(statement)
  }

  override async end(): Promise<void> {
    clearInterval(this.#watch)
    await Promise.all([
      super.end(),
      ...this.#readConnections.map((connection) => connection.close()),
    ])
  }

  /** The lane that is about to leave anyway, else the emptiest; one that keeps its readers waiting only as the last resort. */
  #readConnection(now: number): ReadConnection | undefined {
    let best = this.#readConnections[0]
    let bestLoad = Infinity
    for (const connection of this.#readConnections) {
      const isOverdue = connection.isOverdue(now)
      if (connection.isCorked && !isOverdue) {
        return connection
      }
      const load = isOverdue ? Number.MAX_VALUE : connection.waiting
      if (load < bestLoad) {
        best = connection
        bestLoad = load
      }
    }
    return best
  }

  #destroyStalled(): void {
    const now = performance.now()
    this.#readConnections.forEach((connection) => connection.destroyIfStalled(now))
  }
}
