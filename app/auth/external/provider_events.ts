import type { Logger } from '@adonisjs/core/logger'

import type { ProviderChange } from '#auth/provider'
import { connectSubscriber } from '#signals/redis'

const CHANNELS = ['realm', 'user', 'client'] as const
const EVENTS = ['created', 'updated', 'deleted'] as const

type Listener = (change: ProviderChange) => void
type ChannelLogger = Pick<Logger, 'warn'>

/**
 * Subscribes to events of realms, users and clients on a connection of its own. Missed events are found by
 * reconciliation.
 */
export async function subscribeToProviderEvents(
  redisUrl: string,
  listener: Listener,
  logger: ChannelLogger
): Promise<() => Promise<void>> {
  const onError = (error: Error) =>
    logger.warn({ err: error }, 'events of the identity provider cannot be received now')
  const redis = await connectSubscriber(redisUrl, onError)
  redis.on('ready', () => redis.subscribe(...CHANNELS).catch(onError))
  redis.on('message', (channel, message) => deliver(channel, message, listener, logger))
  return async () => redis.disconnect()
}

function deliver(channel: string, message: string, listener: Listener, logger: ChannelLogger) {
  const change = changeIn(message)
  if (!change) {
    logger.warn({ channel }, 'a malformed event of the identity provider was ignored')
    return
  }
  try {
    listener(change)
  } catch (error) {
    logger.warn({ err: error, channel }, 'an event of the identity provider was not handled')
  }
}

/** The change in a message; undefined if it is malformed. */
function changeIn(message: string): ProviderChange | undefined {
  try {
    const { type, event, data } = JSON.parse(message)
    const isKnown = CHANNELS.includes(type) && EVENTS.includes(event)
    return isKnown && typeof data.id === 'string' ? { type, event, data } : undefined
  } catch {
    return undefined
  }
}
