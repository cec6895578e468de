import type { Bus, BusLogger } from './bus.js'
import { BusUnavailable } from './errors.js'
import { MemoryBus } from '#bus/memory/memory_bus'

/** Opens the bus: RabbitMQ if it has an address, otherwise the in-memory bus. */
export async function openBus(
  amqpUrl: string | undefined,
  logger: BusLogger,
  options: { readonly isLimited?: boolean } = {}
): Promise<Bus> {
  if (!amqpUrl) {
    return new MemoryBus()
  }
  const { AmqpBus } = await import('#bus/amqp/amqp_bus')
  return AmqpBus.open(amqpUrl, logger, options)
}

/** Throws while the bus is unavailable. */
export async function requireReady({ isReady }: Bus): Promise<void> {
  if (!isReady) {
    throw new BusUnavailable('the broker is not connected, or short of memory or disk')
  }
}
