import type { RedisConnection } from './redis.js'
import { SignalsUnavailable } from './signals.js'

interface OutgoingMessage {
  readonly channel: string
  readonly payload: string | Buffer
}

/** One command is far cheaper for the sender than one for each message. */
const PUBLISH_EACH = `for at = 1, #ARGV, 2 do redis.call('publish', ARGV[at], ARGV[at + 1]) end`

/** Publishes messages at once and in order. Rejects if one was not accepted. */
export async function publishAll(
  redis: RedisConnection,
  messages: readonly OutgoingMessage[]
): Promise<void> {
  if (messages.length === 0) {
    return
  }
  if (redis.status !== 'ready') {
    throw new SignalsUnavailable()
  }
  await publish(redis, messages).catch((error) => Promise.reject(new SignalsUnavailable(error)))
}

function publish(redis: RedisConnection, messages: readonly OutgoingMessage[]): Promise<unknown> {
  const [first] = messages
  if (messages.length === 1) {
    return redis.publish(first!.channel, first!.payload)
  }
  const texts = messages.flatMap(({ channel, payload }) => [channel, payload])
  return redis.eval(PUBLISH_EACH, 0, ...texts)
}
