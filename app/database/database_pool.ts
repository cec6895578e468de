import pg from 'pg'

import { PipelinedClient } from './pipelined_client.js'
import { ReadConnection } from './read_connection.js'

const LANES_AT_MOST = 4
const WATCH_MS = 1_000

/**
 * The connections of a process to one database: some for work that needs one to itself, such as a transaction, and a few
 * that single reads share.
 */
export class DatabasePool extends pg.Pool {
  readonly #lanes: readonly ReadConnection[]
  readonly #watch: NodeJS.Timeout

  constructor({ size, ...settings }: pg.ClientConfig & { size: number }) {
    const lanes = Math.min(LANES_AT_MOST, Math.floor(size / 3))
    super({
      ...settings,
      Client: PipelinedClient as unknown as new () => pg.ClientBase,
      max: size - lanes,
      idleTimeoutMillis: 30_000,
    })
    const onError = (error: Error) => void this.emit('error', error, undefined!)
    // The borrower of a connection that breaks is told by its statement; there is no other listener meanwhile.
    this.on('connect', (client) => void client.on('error', () => {}))
    this.#lanes = Array.from({ length: lanes }, () => new ReadConnection(settings, onError))
    this.#watch = setInterval(() => this.#cutOffLost(), WATCH_MS).unref()
  }

  /**
   * Runs one statement that only reads. It may share its connection with others; a statement that belongs to a transaction
   * must not be run by this.
   */
  read<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const now = performance.now()
    return this.#lane(now)?.read<Row>(statement) ?? this.query<Row>(statement)
  }

  override async end(): Promise<void> {
    clearInterval(this.#watch)
    await Promise.all([super.end(), ...this.#lanes.map((lane) => lane.close())])
  }

  /** The lane that is about to leave anyway, else the emptiest; one that keeps its readers waiting only as the last resort. */
  #lane(now: number): ReadConnection | undefined {
    let best = this.#lanes[0]
    let bestLoad = Infinity
    for (const lane of this.#lanes) {
      const isOverdue = lane.isOverdue(now)
      if (lane.isGathering && !isOverdue) {
        return lane
      }
      const load = isOverdue ? Number.MAX_VALUE : lane.waiting
      if (load < bestLoad) {
        best = lane
        bestLoad = load
      }
    }
    return best
  }

  #cutOffLost(): void {
    const now = performance.now()
    this.#lanes.forEach((lane) => lane.destroyIfStalled(now))
  }
}
