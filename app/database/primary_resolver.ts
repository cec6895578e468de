import { setTimeout as delay } from 'node:timers/promises'

import { jitteredBackoff } from '#kernel/backoff'
import { ServiceUnavailable } from '#kernel/failures'
import { isSameHost, type HostAddress, type HostResolver } from '#kernel/host_resolver'
import { PrimaryWatch, type DatabaseHost } from './primary_watch.js'

const BACKOFF = { firstMs: 100, longestMs: 2_000 }

/** A connection that must be closed when the primary is another host. */
export interface PrimaryConnection {
  readonly address: HostAddress | undefined
  abandon(): void
}

/** None of the hosts accepts writes. The hosts are named in the cause only, since callers see the message. */
export class PrimaryNotFound extends ServiceUnavailable {
  static readonly code = 'E_PRIMARY_NOT_FOUND'

  /** For operators. */
  readonly reason: string

  constructor(failures: readonly Error[]) {
    const reason = `none of its hosts accepts writes (${failures.map(({ message }) => message).join('; ')})`
    super(undefined, { cause: new Error(reason) })
    this.reason = reason
  }
}

/**
 * Finds the primary among several hosts, for all connections of the process. Searches are shared and become less
 * frequent while they fail; while there are connections, one connection more watches the primary.
 */
export class PrimaryResolver implements HostResolver {
  readonly #hosts: readonly DatabaseHost[]
  readonly #onMove: (primary: HostAddress) => void
  readonly #connections = new Set<PrimaryConnection>()
  #watch: PrimaryWatch | undefined
  #search: Promise<HostAddress> | undefined
  #last: HostAddress | undefined
  /** Searches that failed, or were soon followed by another one. */
  #failures = 0

  /** `onMove` is called when another host has become the primary. */
  constructor(hosts: readonly DatabaseHost[], onMove: (primary: HostAddress) => void) {
    this.#hosts = hosts
    this.#onMove = onMove
  }

  get current(): HostAddress | undefined {
    return this.#watch?.address
  }

  /** The primary. Rejects if a search, which may have been under way, finds none. */
  async find(): Promise<HostAddress> {
    return this.current ?? (await this.#searchOnce())
  }

  suspect(host: HostAddress): void {
    if (isSameHost(this.current, host)) {
      this.#leave()
    }
  }

  /** Returns a function that removes the connection. With the last one, the primary is no longer watched. */
  add(connection: PrimaryConnection): () => void {
    this.#connections.add(connection)
    return () => {
      this.#connections.delete(connection)
      if (this.#connections.size === 0) {
        this.#stopWatching()
      }
    }
  }

  #leave(): void {
    this.#stopWatching()
    this.#failures += 1
    this.#searchWhileNeeded()
  }

  /** Open connections may wait for a host that is gone, so nobody might ask for the primary. */
  #searchWhileNeeded(): void {
    this.#searchOnce().catch(() => {
      if (this.#connections.size > 0) {
        this.#searchWhileNeeded()
      }
    })
  }

  #searchOnce(): Promise<HostAddress> {
    this.#search ??= this.#runSearch().finally(() => (this.#search = undefined))
    return this.#search
  }

  async #runSearch(): Promise<HostAddress> {
    await this.#pause()
    const listeners = {
      onAlive: () => (this.#failures = 0),
      onLost: () => this.#leave(),
    }
    const attempts = this.#hosts.map((host) => PrimaryWatch.open(host, listeners))
    const found = await Promise.any(attempts).catch(({ errors }: AggregateError) => {
      this.#failures += 1
      throw new PrimaryNotFound(errors)
    })
    closeOthers(attempts, found)
    return this.#adopt(found)
  }

  /** The first failure is retried at once. */
  async #pause(): Promise<void> {
    if (this.#failures > 1) {
      const ms = jitteredBackoff(this.#failures - 1, BACKOFF)
      await delay(ms)
    }
  }

  #adopt(watch: PrimaryWatch): HostAddress {
    const { address } = watch
    const hasMoved = this.#last !== undefined && !isSameHost(this.#last, address)
    this.#watch = watch
    this.#last = address
    if (hasMoved) {
      this.#onMove(address)
    }
    for (const connection of this.#connections) {
      if (!isSameHost(connection.address, address)) {
        connection.abandon()
      }
    }
    return address
  }

  #stopWatching(): void {
    this.#watch?.close()
    this.#watch = undefined
  }
}

function closeOthers(attempts: readonly Promise<PrimaryWatch>[], chosen: PrimaryWatch): void {
  for (const attempt of attempts) {
    attempt.then(
      (watch) => watch !== chosen && watch.close(),
      () => {}
    )
  }
}
