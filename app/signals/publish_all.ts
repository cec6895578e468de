import type { RedisConnection } from './redis.js'
import { SignalsAway } from './signals.js'

interface Sendable {
  readonly channel: string
  readonly payload: string | Buffer
}

/**
 * Sends messages in one go and in their order. Rejects where one of them was not taken.
 */
export async function publishAll(
  redis: RedisConnection,
  messages: readonly Sendable[]
): Promise<void> {
  if (messages.length === 0) {
    return
  }
  if (redis.status !== 'ready') {
    throw new SignalsAway()
  }
  const pipeline = redis.pipeline()
  messages.forEach(({ channel, payload }) => pipeline.publish(channel, payload))
  const answers = await pipeline.exec().catch((error) => Promise.reject(new SignalsAway(error)))
  const failed = answers?.find(([error]) => error !== null)
  if (failed) {
    throw new SignalsAway(failed[0])
  }
}
