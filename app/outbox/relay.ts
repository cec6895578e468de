import type { Logger } from '@adonisjs/core/logger'
import type pg from 'pg'

import { DatabaseClient } from '#database/database_client'
import { isAdopting } from '#database/is_adopting'
import { pools } from '#database/pools'
import { sleep } from '#kernel/backoff'
import type { Destination } from './destination.js'
import { backlogOf } from './backlog.js'
import { showAdoption } from './adoption_metric.js'
import { relayMetrics } from './metrics.js'
import { OutboxPublisher } from './outbox_publisher.js'
import { OutboxStore } from './store.js'

/** The retry interval of the leader election and of a lost connection. */
const RETRY_MS = 1_000

const LEADER = `select pg_try_advisory_lock(hashtextextended('outbox relay', 0)) as leads`

/**
 * A lost deletion only causes a second delivery. Scans always use the index order, whatever the statistics of the table
 * suggest.
 */
const SESSION = `
  set synchronous_commit = off;
  set enable_seqscan = off;
  set enable_bitmapscan = off`

interface RelayOptions {
  /** The database URL; contains the password and must not be logged. */
  url: string
  /** The name of the database in metrics and logs. */
  name: string
  destinations: readonly Destination[]
  logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * Publishes the outbox of one database. One relay per database leads; its lock ends with its connection, so that
 * another one takes over when it dies.
 */
export class Relay {
  readonly #options: RelayOptions
  readonly #stopping = new AbortController()
  #publishing: OutboxPublisher | undefined
  #running: Promise<void> | undefined

  constructor(options: RelayOptions) {
    this.#options = options
  }

  get isLeading(): boolean {
    return this.#publishing !== undefined
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Announces new entries. */
  notify(): void {
    this.#publishing?.notify()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#connected((client, lost) => this.#lead(client, lost))
      } catch (error) {
        if (!this.#stopping.signal.aborted) {
          const { name: database, logger } = this.#options
          logger.warn({ err: error, database }, 'the outbox could not be read; retrying')
        }
      }
      await sleep(RETRY_MS, this.#stopping.signal)
    }
  }

  async #connected(work: (client: pg.Client, lost: AbortSignal) => Promise<void>): Promise<void> {
    const client = new DatabaseClient({
      ...pools.connectionTo(this.#options.url),
      application_name: 'analysis-hub outbox',
      connectionTimeoutMillis: 5_000,
      query_timeout: 30_000,
      keepAlive: true,
    })
    const lost = new AbortController()
    client.on('error', () => lost.abort())
    client.on('end', () => lost.abort())
    try {
      await client.connect()
      await client.query(SESSION)
      await work(client, lost.signal)
    } finally {
      await client.end().catch(() => {})
    }
  }

  async #lead(client: pg.Client, lost: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([this.#stopping.signal, lost])
    if (!(await this.#becameLeader(client, ended))) {
      return
    }
    const { name, destinations, logger } = this.#options
    const hideBacklog = relayMetrics.showBacklog(name, () => backlogOf(client))
    const hideAdoption = showAdoption(name, () => isAdopting(client))
    logger.info({ database: name }, 'this process now publishes the outbox')
    const publishing = new OutboxPublisher({ store: new OutboxStore(client), destinations, logger })
    this.#publishing = publishing
    try {
      await publishing.run(ended)
      if (!lost.aborted) {
        await publishing.finish()
      }
    } finally {
      publishing.close()
      this.#publishing = undefined
      hideBacklog()
      hideAdoption()
    }
  }

  async #becameLeader(client: pg.Client, ended: AbortSignal): Promise<boolean> {
    while (!ended.aborted) {
      const { rows } = await client.query<{ leads: boolean }>(LEADER)
      if (rows[0]!.leads) {
        return true
      }
      await sleep(RETRY_MS, this.#stopping.signal)
    }
    return false
  }
}
