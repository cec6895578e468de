import type { Redis, RedisOptions } from 'ioredis'

import { jitteredBackoff } from '#kernel/backoff'
import { sentinelOptions } from './sentinel_options.js'

export type RedisConnection = Redis

/** Timeouts for a server that accepts connections but does not respond. */
const RESPONSE_TIMEOUTS = { commandTimeout: 5_000, socketTimeout: 5_000 }
/** To inspect a server: a connection that is opened on request and does not reconnect. */
export const ONE_ATTEMPT: RedisOptions = {
  lazyConnect: true,
  connectTimeout: 10_000,
  commandTimeout: 10_000,
  retryStrategy: () => null,
  sentinelRetryStrategy: () => null,
}
const HEARTBEAT_MS = 5_000
const FIRST_ATTEMPT_LIMIT_MS = 2_000
const BACK_OFF = { firstMs: 200, longestMs: 5_000 }

/**
 * Opens a connection to Redis, through sentinels if the URL names them. The client library is loaded here, so that
 * installations without Redis do not load it. A subscriber subscribes whenever the connection is ready: automatic resubscription leaves an unhandled rejection if the
 * connection breaks meanwhile.
 */
export async function connectRedis(
  url: string,
  onError: (error: Error) => void,
  options: RedisOptions = {}
): Promise<Redis> {
  const { Redis: Client } = await import('ioredis')
  const sentinels = sentinelOptions(url)
  const given: RedisOptions = {
    connectionName: 'analysis-hub',
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    autoResubscribe: false,
    retryStrategy: (attempt) => jitteredBackoff(attempt, BACK_OFF),
    ...(sentinels && { ...RESPONSE_TIMEOUTS, ...sentinels, reconnectOnError: isReadOnlyReply }),
    ...options,
  }
  const redis = sentinels ? new Client(given) : new Client(url, given)
  redis.on('error', onError)
  return redis
}

/** A server that was the master: the sentinels are queried for the new one. */
const isReadOnlyReply = ({ message }: Error): boolean => message.startsWith('READONLY')

/** A connection for publishing. Commands fail fast while Redis is unavailable. */
export function connectPublisher(url: string, onError: (error: Error) => void): Promise<Redis> {
  return connectRedis(url, onError, RESPONSE_TIMEOUTS)
}

/** A connection for subscribing. It sends regular pings, since it would not notice a lost server otherwise. */
export async function connectSubscriber(
  url: string,
  onError: (error: Error) => void
): Promise<Redis> {
  const redis = await connectRedis(url, onError, RESPONSE_TIMEOUTS)
  const heartbeat = setInterval(() => redis.ping().catch(() => {}), HEARTBEAT_MS).unref()
  redis.once('end', () => clearInterval(heartbeat))
  return redis
}

/** Waits until the connection is ready, or has failed once; further attempts run in the background. */
export function waitForFirstAttempt(redis: RedisConnection): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(resolve, FIRST_ATTEMPT_LIMIT_MS)
    for (const event of ['ready', 'error', 'close']) {
      redis.once(event, () => {
        clearTimeout(limit)
        resolve()
      })
    }
  })
}
