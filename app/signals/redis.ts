import type { Redis } from 'ioredis'

export type RedisConnection = Redis

/**
 * Opens a connection to Redis. The client library is loaded only here, so that an installation without Redis does not
 * carry it.
 */
export async function connectRedis(url: string, onError: (error: Error) => void): Promise<Redis> {
  const { Redis: Client } = await import('ioredis')
  const redis = new Client(url, {
    connectionName: 'analysis-hub',
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    retryStrategy: (attempt) =>
      Math.min(100 * 2 ** Math.min(attempt, 6), 5_000) * (0.5 + Math.random() / 2),
  })
  redis.on('error', onError)
  return redis
}
