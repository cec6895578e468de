import { createAdapter } from '@socket.io/redis-adapter'
import type { Namespace } from 'socket.io'

import { connectSubscriber, type RedisConnection } from '#signals/redis'
import type { ReportError } from '#signals/signals'

type PacketListener = (pattern: Buffer, channel: Buffer, packet: Buffer) => void

/** Events are published by `RedisEmitter`, which knows whether Redis accepted them. Adapters only subscribe. */
const NO_PUBLISHER = { publish() {}, on() {}, off() {} }

/**
 * Receives events for the sockets of this process from Redis. One connection serves all namespaces. Of the adapters'
 * subscriptions only the events are used: processes do not query each other's sockets.
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

  /** The adapter constructor. Socket.IO calls it with `new`, so it cannot be an arrow function. */
  get adapter() {
    const client = () => this.#client()
    return function adapterOf(namespace: Namespace) {
      return createAdapter(NO_PUBLISHER, client())(namespace)
    }
  }

  close(): void {
    this.#redis.disconnect()
  }

  /** The Redis client that an adapter sees. */
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

  /** Does nothing while disconnected: all patterns are subscribed when the connection is ready. */
  #subscribe(patterns: readonly string[]): void {
    if (patterns.length > 0 && this.#redis.status === 'ready') {
      this.#redis.psubscribe(...patterns).catch((error: Error) => {
        this.#report(error, 'events for some sockets cannot be received now')
      })
    }
  }

  /** Any program with access to Redis can publish malformed packets. */
  #dispatch(pattern: Buffer | string, channel: Buffer, packet: Buffer): void {
    try {
      this.#byPattern.get(String(pattern))?.(Buffer.from(pattern), channel, packet)
    } catch (error) {
      this.#report(error as Error, 'an event for sockets was malformed')
    }
  }
}
