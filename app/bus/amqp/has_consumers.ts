import { setTimeout as delay } from 'node:timers/promises'

import type { Channel } from 'amqplib'

import type { AmqpConnection } from './connection.js'

const LIMIT_MS = 1_000
const NO_SUCH_QUEUE = 404

/** Whether a queue has consumers; undefined if the broker does not respond in time. */
export async function hasConsumers(
  connection: AmqpConnection,
  queue: string
): Promise<boolean | undefined> {
  const limit = new AbortController()
  try {
    const timeout = delay(LIMIT_MS, undefined, { signal: limit.signal, ref: false })
    return await Promise.race([queryConsumers(connection, queue), timeout])
  } finally {
    limit.abort()
  }
}

/** Checking a queue that does not exist closes the channel. */
async function queryConsumers(
  connection: AmqpConnection,
  queue: string
): Promise<boolean | undefined> {
  let channel: Channel | undefined
  try {
    channel = await connection.channels.createChannel()
    channel.on('error', () => {})
    const { consumerCount } = await channel.checkQueue(queue)
    return consumerCount > 0
  } catch (error) {
    return (error as { code?: number }).code === NO_SUCH_QUEUE ? false : undefined
  } finally {
    await channel?.close().catch(() => {})
  }
}
