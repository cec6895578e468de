import { env } from '#start/env'
import type { Bus, BusLogger } from './bus.js'
import { BusUnavailable } from './errors.js'
import { MemoryBus } from '#bus/memory/memory_bus'

/** Opens the bus: RabbitMQ if AMQP_URL is set, otherwise the in-memory bus. */
export async function openBus(logger: BusLogger): Promise<Bus> {
  if (!env.AMQP_URL) {
    return new MemoryBus()
  }
  const { AmqpBus } = await import('#bus/amqp/amqp_bus')
  return AmqpBus.open(env.AMQP_URL, logger)
}

/** Throws while the bus is unavailable. */
export async function requireReady({ isReady }: Bus): Promise<void> {
  if (!isReady) {
    throw new BusUnavailable('the broker is not connected, or short of memory or disk')
  }
}
