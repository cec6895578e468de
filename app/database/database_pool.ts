import pg from 'pg'

import type { DatabaseClientSettings } from './database_client.js'
import { PipelinedClient } from './pipelined_client.js'
import { ReadConnection } from './read_connection.js'

const MAX_READ_CONNECTIONS = 4
const CHECK_MS = 1_000

/** A pool of exclusive connections, for transactions, with a few connections that single reads share. */
export class DatabasePool extends pg.Pool {
  readonly #readConnections: readonly ReadConnection[]
  readonly #watch: NodeJS.Timeout

  constructor({ size, ...settings }: DatabaseClientSettings & { size: number }) {
    const readConnections = Math.min(MAX_READ_CONNECTIONS, Math.floor(size / 3))
    super({
      ...settings,
      Client: PipelinedClient as unknown as new () => pg.ClientBase,
      max: size - readConnections,
      idleTimeoutMillis: 30_000,
    })
    const onError = (error: Error) => void this.emit('error', error, undefined!)
    // If a connection breaks, the running statement reports it; this listener only prevents an uncaught error.
    this.on('connect', (client) => void client.on('error', () => {}))
    this.#readConnections = Array.from(
      { length: readConnections },
      () => new ReadConnection(settings, onError)
    )
    this.#watch = setInterval(() => this.#destroyStalled(), CHECK_MS).unref()
  }

  /** Runs a read-only statement, on a connection that other reads may share. Must not be used within a transaction. */
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

  /** Prefers a connection that is about to flush, then the least loaded; overdue connections come last. */
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
