import type { Socket } from 'node:net'

import pg from 'pg'

import { hostText, type HostAddress } from '#kernel/host_resolver'
import { onReadOnly } from './session_read_only.js'

const CONNECT_LIMIT_MS = 2_000
const PING_MS = 2_000
const PING_LIMIT_MS = 4_000

/** One of the hosts of a database, and the URL of the database there. */
export interface DatabaseHost {
  readonly address: HostAddress
  readonly url: string
}

interface WatchListeners {
  /** The host has responded to a ping. */
  readonly onAlive: () => void
  /** The host went away, became read-only or no longer responds. Not called after `close`. */
  readonly onLost: () => void
}

/** A connection that watches the primary, and does not keep the process alive. */
export class PrimaryWatch {
  readonly address: HostAddress
  readonly #client: pg.Client
  readonly #listeners: WatchListeners
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** Rejects if the host is not the primary. */
  static async open(
    { address, url }: DatabaseHost,
    listeners: WatchListeners
  ): Promise<PrimaryWatch> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'analysis-hub primary',
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      query_timeout: PING_LIMIT_MS,
      keepAlive: true,
    })
    client.host = address.host
    client.port = address.port
    client.on('error', () => {})
    let refusal: Error | undefined
    onReadOnly(client, (error) => {
      refusal ??= error
      client.connection.stream.destroy(error)
    })
    try {
      await client.connect()
      // The same packet says that the session is ready.
      if (refusal) {
        throw refusal
      }
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      throw new Error(`${hostText(address)}: ${message || code}`, { cause: error })
    }
    ;(client.connection.stream as Socket).unref()
    return new PrimaryWatch(address, client, listeners)
  }

  private constructor(address: HostAddress, client: pg.Client, listeners: WatchListeners) {
    this.address = address
    this.#client = client
    this.#listeners = listeners
    client.once('end', () => this.#onEnd())
    this.#pingLater()
  }

  /** Whether neither side has closed the connection. */
  get isOpen(): boolean {
    return !this.#isClosed
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#client.end().catch(() => {})
  }

  #pingLater(): void {
    this.#timer = setTimeout(() => this.#ping(), PING_MS).unref()
  }

  #ping(): void {
    this.#client.query('').then(
      () => {
        if (!this.#isClosed) {
          this.#listeners.onAlive()
          this.#pingLater()
        }
      },
      () => this.#client.connection.stream.destroy()
    )
  }

  #onEnd(): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#listeners.onLost()
    }
  }
}
