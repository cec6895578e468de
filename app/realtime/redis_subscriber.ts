import { createAdapter } from '@socket.io/redis-adapter'
import type { Namespace } from 'socket.io'

import { connectSubscriber, type RedisConnection } from '#signals/redis'
import type { ReportError } from '#signals/signals'

type PacketListener = (pattern: Buffer, channel: Buffer, packet: Buffer) => void

/** Events are sent by the emitter, which knows whether they were taken; adapters only listen. */
const NO_PUBLISHER = { publish() {}, on() {}, off() {} }

/**
 * Receives through Redis what is emitted for the sockets of this process. One connection serves all namespaces. Processes do
 * not look into each other's sockets, so of what the adapters would subscribe to, only the events are.
 */
export class RedisSubscriber {
  readonly #redis: RedisConnection
  readonly #report: ReportError
  readonly #byPattern = new Map<string, PacketListener>()

  static async connect(url: string, report: ReportError): Promise<RedisSubscriber> {
    const onError = (error: Error) => report(error, 'events for sockets cannot be received now')
    return new RedisSubscriber(await connectSubscriber(url, onError), report)
  }

  private constructor(redis: RedisConnection, report: ReportError) {
    this.#redis = redis
    this.#report = report
    redis.on('ready', () => this.#subscribe([...this.#byPattern.keys()]))
    redis.on('pmessageBuffer', (pattern, channel, packet) =>
      this.#dispatch(pattern, channel, packet)
    )
  }

  /** What makes the adapter of a namespace; the library calls it with `new`, which no arrow function stands. */
  get adapter() {
    const client = () => this.#client()
    return function adapterOf(namespace: Namespace) {
      return createAdapter(NO_PUBLISHER, client())(namespace)
    }
  }

  close(): void {
    this.#redis.disconnect()
  }

  /** The client of Redis as an adapter sees it. */
  #client() {
    let pattern = ''
    return {
      psubscribe: (wanted: string) => void (pattern = wanted),
      on: (event: string, listener: PacketListener) => {
        if (event === 'pmessageBuffer') {
          this.#byPattern.set(pattern, listener)
          this.#subscribe([pattern])
        }
      },
      off() {},
      punsubscribe: () => {
        this.#byPattern.delete(pattern)
        this.#redis.punsubscribe(pattern).catch(() => {})
      },
      subscribe() {},
      unsubscribe() {},
    }
  }

  /** While the connection is away there is nothing to do: it subscribes to everything when it is ready. */
  #subscribe(patterns: readonly string[]): void {
    if (patterns.length > 0 && this.#redis.status === 'ready') {
      this.#redis.psubscribe(...patterns).catch((error: Error) => {
        this.#report(error, 'events for some sockets cannot be received now')
      })
    }
  }

  /** Every program that reaches Redis can write what is no packet. */
  #dispatch(pattern: Buffer | string, channel: Buffer, packet: Buffer): void {
    try {
      this.#byPattern.get(String(pattern))?.(Buffer.from(pattern), channel, packet)
    } catch (error) {
      this.#report(error as Error, 'an event for sockets was malformed')
    }
  }
}
