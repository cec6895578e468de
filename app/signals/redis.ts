import type { Redis, RedisOptions } from 'ioredis'

import { jitteredBackoff } from '#kernel/backoff'

export type RedisConnection = Redis

/** A server that accepts connections and answers nothing is given up after this. */
const RESPONSE_TIMEOUTS = { commandTimeout: 5_000, socketTimeout: 5_000 }
const HEARTBEAT_MS = 5_000
const BACK_OFF = { firstMs: 200, longestMs: 5_000 }

/**
 * Opens a connection to Redis. The client library is loaded only here, so that an installation without Redis does not
 * carry it. A subscriber subscribes each time the connection is ready: the library's own way of subscribing again
 * leaves a rejection unhandled when the connection breaks meanwhile.
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

/** A connection for sending messages: what cannot be sent soon is refused. */
export function connectPublisher(url: string, onError: (error: Error) => void): Promise<Redis> {
  return connectRedis(url, onError, RESPONSE_TIMEOUTS)
}

/**
 * A connection for receiving messages. It asks for a sign of life now and then, since a server that went away without a
 * word would never be missed otherwise.
 */
export async function connectSubscriber(
  url: string,
  onError: (error: Error) => void
): Promise<Redis> {
  const redis = await connectRedis(url, onError, RESPONSE_TIMEOUTS)
  const heartbeat = setInterval(() => redis.ping().catch(() => {}), HEARTBEAT_MS).unref()
  redis.once('end', () => clearInterval(heartbeat))
  return redis
}
