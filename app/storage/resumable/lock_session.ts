import type pg from 'pg'

import { databaseUrl } from '#database/addresses'
import { DatabaseClient } from '#database/database_client'
import { pools } from '#database/pools'
import { clock } from '#kernel/clock'

const TRY = `select pg_try_advisory_lock(hashtextextended($1, 0)) as taken`
const UNLOCK = `select pg_advisory_unlock(hashtextextended($1, 0))`
const CHANNEL = 'resumable_uploads'

const LISTEN = `listen ${CHANNEL}`

/**
 * The database connection with the upload locks of a process. A process that dies loses them at once. Processes
 * also use it to request releases from each other.
 */
export class LockSession {
  readonly #client: pg.Client
  readonly #name = clock.uuid()
  readonly #lost = new AbortController()
  #last: Promise<unknown> = Promise.resolve()

  private constructor(client: pg.Client, onReleaseRequest: (id: string) => void) {
    this.#client = client
    const lose = () => this.#lost.abort(new Error('The connection with the locks was lost'))
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', ({ payload = '' }) => {
      const [id = '', sender] = payload.split(' ')
      if (sender !== this.#name) {
        onReleaseRequest(id)
      }
    })
  }

  static async open(onReleaseRequest: (id: string) => void): Promise<LockSession> {
    const client = new DatabaseClient({
      ...pools.connectionTo(databaseUrl('storage')),
      application_name: 'analysis-hub uploads',
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      keepAlive: true,
    })
    const session = new LockSession(client, onReleaseRequest)
    await client.connect()
    await client.query(LISTEN)
    return session
  }

  /** Aborts when the connection, and with it the locks, is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async tryLock(id: string): Promise<boolean> {
    const { rows } = await this.#query<{ taken: boolean }>(TRY, [keyOf(id)])
    return rows[0]!.taken
  }

  async unlock(id: string): Promise<void> {
    await this.#query(UNLOCK, [keyOf(id)])
  }

  /** Requests other processes to release an upload. */
  async requestRelease(id: string): Promise<void> {
    await this.#query('select pg_notify($1, $2)', [CHANNEL, `${id} ${this.#name}`])
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {})
  }

  /** Runs queries one after the other. */
  #query<Row extends pg.QueryResultRow>(text: string, values: string[]) {
    const answer = this.#last.then(() => this.#client.query<Row>(text, values))
    this.#last = answer.catch(() => {})
    return answer
  }
}

const keyOf = (id: string) => `resumable upload ${id}`
