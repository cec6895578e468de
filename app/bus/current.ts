import { health } from '#observability/health'
import { env } from '#start/env'
import type { Bus, BusLogger } from './bus.js'
import { BusAway } from './errors.js'
import { MemoryBus } from '#bus/memory/memory_bus'

let current: Promise<Bus> | undefined
let unwatch = () => {}

/**
 * The one bus of this process, opened at its first use. A process that only answers requests never opens it.
 */
export function openBus(logger: BusLogger): Promise<Bus> {
  current ??= open(logger)
  return current
}

/** Hangs up; called when everything that uses the bus has stopped. */
export async function closeBus(): Promise<void> {
  const bus = await current
  current = undefined
  unwatch()
  await bus?.close()
}

async function open(logger: BusLogger): Promise<Bus> {
  const bus = await driver(logger)
  if (env.SURFACES.length === 0) {
    unwatch = health.watch('bus', () => requireReady(bus))
  }
  return bus
}

/** Requests are answered without a broker, so it is missed only where nothing but jobs is done. */
async function requireReady({ isReady }: Bus): Promise<void> {
  if (!isReady) {
    throw new BusAway('the broker is not connected, or short of memory or disk')
  }
}

async function driver(logger: BusLogger): Promise<Bus> {
  if (!env.AMQP_URL) {
    return new MemoryBus()
  }
  const { AmqpBus } = await import('#bus/amqp/amqp_bus')
  return AmqpBus.open(env.AMQP_URL, logger)
}
