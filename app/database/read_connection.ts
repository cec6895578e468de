import pg from 'pg'

import type { DatabaseClientSettings } from './database_client.js'
import { PipelinedClient } from './pipelined_client.js'

/** Connections that respond later than this get no new reads. */
const OVERDUE_MS = 10

/** Connections that respond later than this are destroyed; every statement times out earlier. */
const STALLED_MS = 30_000
const STATEMENT_LIMIT_MS = 25_000

/** One connection that reads share. */
export class ReadConnection {
  readonly #settings: DatabaseClientSettings
  readonly #onError: (error: Error) => void
  #client: PipelinedClient | undefined
  #waiting = 0
  #inFlight = 0
  #answeredAt = 0

  constructor(settings: DatabaseClientSettings, onError: (error: Error) => void) {
    this.#settings = { ...settings, statement_timeout: STATEMENT_LIMIT_MS }
    this.#onError = onError
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Whether the next read shares its packet with others. */
  get isCorked(): boolean {
    return this.#client?.isCorked === true
  }

  isOverdue(now: number): boolean {
    return this.#inFlight > 0 && now - this.#answeredAt > OVERDUE_MS
  }

  read<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const client = (this.#client ??= this.#open())
    this.#waiting += 1
    return new Promise((resolve, reject) => {
      client.query(statement, (error: Error | null, result: pg.QueryResult<Row>) => {
        this.#waiting -= 1
        this.#inFlight -= 1
        this.#answeredAt = performance.now()
        if (error) {
          this.#discardIfLost(client, error)
          reject(error)
        } else {
          resolve(result)
        }
      })
    })
  }

  destroyIfStalled(now: number): void {
    if (this.#inFlight > 0 && now - this.#answeredAt > STALLED_MS) {
      this.#client?.connection.stream.destroy()
    }
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.end()
  }

  #open(): PipelinedClient {
    const client = new PipelinedClient(this.#settings, () => this.#onFlush())
    const onLost = (error: Error) => {
      this.#discard(client)
      this.#onError(error)
    }
    client.on('error', onLost)
    client.on('end', () => this.#discard(client))
    client.connect().catch(onLost)
    return client
  }

  /** A connection that reported a fatal error must not be used for further reads. */
  #discardIfLost(client: pg.Client, error: Error): void {
    if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL') {
      this.#discard(client)
    }
  }

  #discard(client: pg.Client): void {
    if (this.#client === client) {
      this.#client = undefined
    }
  }

  #onFlush(): void {
    if (this.#inFlight <= 0) {
      this.#answeredAt = performance.now()
    }
    this.#inFlight = this.#waiting
  }
}
