import { jitteredBackoff } from '#kernel/backoff'
import { ServiceUnavailable } from '#kernel/failures'
import { hostText, isSameHost, type HostAddress, type HostResolver } from '#kernel/host_resolver'
import { SingleFlight } from '#kernel/single_flight'
import { PrimaryWatch, type DatabaseHost } from './primary_watch.js'

const BACKOFF = { firstMs: 100, longestMs: 2_000 }

/** A connection that must be closed when the primary is another host. */
export interface PrimaryConnection {
  readonly address: HostAddress | undefined
  abandon(): void
}

/** None of the hosts accepts writes. The hosts are named in the cause only, since callers see the message. */
export class PrimaryNotFound extends ServiceUnavailable {
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
 * frequent while they fail. While there are connections, one more watches the primary.
 */
export class PrimaryResolver implements HostResolver {
  readonly #hosts: readonly DatabaseHost[]
  readonly #onMove: (primary: HostAddress) => void
  readonly #connections = new Set<PrimaryConnection>()
  #watch: PrimaryWatch | undefined
  readonly #searches = new SingleFlight<'primary', HostAddress>()
  #last: HostAddress | undefined
  /** How often a primary was left or not found since one has responded to a ping. */
  #failures = 0
  /** What callers get until the next search. */
  #refusal: PrimaryNotFound | undefined

  /** `onMove` is called when another host has become the primary. */
  constructor(hosts: readonly DatabaseHost[], onMove: (primary: HostAddress) => void) {
    this.#hosts = hosts
    this.#onMove = onMove
  }

  get current(): HostAddress | undefined {
    return this.#watch?.address
  }

  /** The primary. Rejects at once for a while after a search that found none. */
  async find(): Promise<HostAddress> {
    if (this.#refusal) {
      throw this.#refusal
    }
    return this.current ?? this.#searchOnce()
  }

  suspect(host: HostAddress): void {
    if (isSameHost(this.current, host)) {
      this.#leave('it failed')
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

  /** The first failure leads to a search at once. */
  #leave(reason: string): void {
    const left = this.current
    if (!left) {
      return
    }
    this.#stopWatching()
    this.#failures += 1
    if (this.#failures > 1) {
      this.#rest(new PrimaryNotFound([new Error(`${hostText(left)}: ${reason}`)]))
    } else {
      this.#searchOnce().catch(() => {})
    }
  }

  /** Open connections may wait for a host that is gone, so that no other caller would search. */
  #rest(refusal: PrimaryNotFound): void {
    this.#refusal = refusal
    const ms = jitteredBackoff(this.#failures, BACKOFF)
    setTimeout(() => {
      this.#refusal = undefined
      if (this.#connections.size > 0) {
        this.#searchOnce().catch(() => {})
      }
    }, ms).unref()
  }

  #searchOnce(): Promise<HostAddress> {
    return this.#searches.run('primary', () => this.#runSearch())
  }

  async #runSearch(): Promise<HostAddress> {
    const listeners = {
      onAlive: () => void (this.#failures = 0),
      onLost: () => this.#leave('its connection was lost'),
    }
    const attempts = this.#hosts.map((host) => PrimaryWatch.open(host, listeners))
    try {
      const found = await Promise.any(attempts)
      closeOthers(attempts, found)
      if (!found.isOpen) {
        throw new AggregateError([new Error(`${hostText(found.address)}: its connection was lost`)])
      }
      return this.#adopt(found)
    } catch (error) {
      const refusal = new PrimaryNotFound((error as AggregateError).errors)
      this.#failures += 1
      this.#rest(refusal)
      throw refusal
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
