import type { Redis, RedisOptions } from 'ioredis'

import { jitteredBackoff } from '#kernel/backoff'

export type RedisConnection = Redis

/** Timeouts for a server that accepts connections but does not respond. */
const RESPONSE_TIMEOUTS = { commandTimeout: 5_000, socketTimeout: 5_000 }
const HEARTBEAT_MS = 5_000
const BACK_OFF = { firstMs: 200, longestMs: 5_000 }

/**
 * Opens a connection to Redis. The client library is loaded here, so that installations without Redis do not load it. A
 * subscriber subscribes whenever the connection is ready: automatic resubscription leaves an unhandled rejection if the
 * connection breaks meanwhile.
 */
export async function connectRedis(
  url: string,
  onError: (error: Error) => void,
  options: RedisOptions = {}
): Promise<Redis> {
  const { Redis: Client } = await import('ioredis')
  const redis = new Client(url, {
    connectionName: 'analysis-hub',
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    autoResubscribe: false,
    retryStrategy: (attempt) => jitteredBackoff(attempt, BACK_OFF),
    ...options,
  })
  redis.on('error', onError)
  return redis
}

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
