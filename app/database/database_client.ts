import pg from 'pg'

import type { HostAddress } from '#kernel/host_resolver'
import { limitAbandonedSession } from './abandoned_sessions.js'
import type { PrimaryResolver } from './primary_resolver.js'
import { onReadOnly } from './session_read_only.js'

/** The settings of a connection. With a resolver it goes to the primary, wherever that is when it is opened. */
export interface DatabaseClientSettings extends pg.ClientConfig {
  readonly resolver?: PrimaryResolver
}

/** Codes of a server that is read-only, stops, starts or has crashed, or whose connection broke. */
const HOST_FAILURES = /^(25006|57P0[1-3]|08...)$/

/** How a client fails the queries that wait for its connection. */
interface WaitingQueries {
  _errorAllQueries(error: Error): void
}

/** A connection to a database: to the primary if its address names several hosts, otherwise a plain client. */
export class DatabaseClient extends pg.Client {
  readonly #resolver: PrimaryResolver | undefined
  #isEnding = false
  #isConnected = false
  /** Why the session is refused, even if the same packet says that it is ready. */
  #refusal: Error | undefined

  constructor(settings: DatabaseClientSettings) {
    super(settings)
    this.#resolver = settings.resolver
    limitAbandonedSession(this)
  }

  override connect(callback?: any): any {
    if (!this.#resolver) {
      return super.connect(callback)
    }
    const connected = this.#connectToPrimary(this.#resolver)
    return callback ? void connected.then(() => callback(null, this), callback) : connected
  }

  override end(callback?: any): any {
    this.#isEnding = true
    return super.end(callback)
  }

  async #connectToPrimary(resolver: PrimaryResolver): Promise<this> {
    const address = await this.#findPrimary(resolver)
    this.host = address.host
    this.port = address.port
    this.#follow(resolver, address)
    try {
      await super.connect()
      if (this.#refusal) {
        throw this.#refusal
      }
    } catch (error) {
      if (isHostFailure(error)) {
        resolver.suspect(address)
      }
      throw error
    }
    this.#isConnected = true
    return this
  }

  /** If there is none, the client ends as if its connection had failed. */
  async #findPrimary(resolver: PrimaryResolver): Promise<HostAddress> {
    try {
      const address = await resolver.find()
      if (this.#isEnding || this.connection.stream.destroyed) {
        throw new Error('Connection terminated')
      }
      return address
    } catch (error) {
      const waiting = this as unknown as WaitingQueries
      waiting._errorAllQueries(error as Error)
      process.nextTick(() => this.emit('end'))
      throw error
    }
  }

  /** Reports failures of the host, and ends the connection when the primary is another host. */
  #follow(resolver: PrimaryResolver, address: HostAddress): void {
    const remove = resolver.add({ address, abandon: () => this.#destroy(new PrimaryMoved()) })
    this.once('end', remove)
    // The connection may break before its user can listen, since connecting ends with a promise.
    this.on('error', () => {})
    onReadOnly(this, (error) => {
      resolver.suspect(address)
      if (!this.#isConnected) {
        this.#refusal = error
        this.#destroy(error)
      }
    })
    this.connection.on('errorMessage', (error) => {
      if (isHostFailure(error)) {
        resolver.suspect(address)
      }
    })
  }

  #destroy(error: Error): void {
    this.connection.stream.destroy(error)
  }
}

/** A connection was closed because its host is no longer the primary. */
class PrimaryMoved extends Error {
  static readonly code = 'E_PRIMARY_MOVED'
  readonly code = PrimaryMoved.code

  constructor() {
    super('The primary of the database is another host now')
  }
}

const isHostFailure = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || HOST_FAILURES.test(error.code ?? '')
