import { AmqpDeadLetters } from '#bus/amqp/amqp_dead_letters'
import type { Consumer } from '#bus/consumer'
import type { DeadLetters } from '#bus/dead_letters'
import { MemoryDeadLetters } from '#bus/memory/memory_dead_letters'
import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'

import { publishCommand } from './publish.js'

/** Opens the dead letters of the configured bus. */
export function openDeadLetters(
  consumers: readonly Pick<Consumer, 'queue' | 'surface'>[],
  amqpUrl: string | undefined
): DeadLetters {
  if (amqpUrl) {
    return new AmqpDeadLetters(amqpUrl)
  }
  const surfaces = new Map(consumers.map(({ queue, surface }) => [queue, surface]))
  return new MemoryDeadLetters({
    databaseOf: (queue) => pools.for(databaseUrl(surfaces.get(queue)!)),
    publish: publishCommand,
  })
}
