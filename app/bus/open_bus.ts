import { env } from '#start/env'
import type { Bus, BusLogger } from './bus.js'
import { BusUnavailable } from './errors.js'
import { MemoryBus } from '#bus/memory/memory_bus'

/** The bus of an installation: RabbitMQ at AMQP_URL, else the memory of its one process. */
export async function openBus(logger: BusLogger): Promise<Bus> {
  if (!env.AMQP_URL) {
    return new MemoryBus()
  }
  const { AmqpBus } = await import('#bus/amqp/amqp_bus')
  return AmqpBus.open(env.AMQP_URL, logger)
}

/** Throws while the bus carries nothing. */
export async function requireReady({ isReady }: Bus): Promise<void> {
  if (!isReady) {
    throw new BusUnavailable('the broker is not connected, or short of memory or disk')
  }
}
