import type { Logger } from '@adonisjs/core/logger'

import { MemorySignals } from './memory_signals.js'
import type { Signals } from './signals.js'

/** Connects this process with the others through Redis if there is one. */
export async function openSignals(
  redisUrl: string | undefined,
  logger: Pick<Logger, 'warn'>
): Promise<Signals> {
  const report = (error: Error, what: string) => logger.warn({ err: error }, what)
  if (redisUrl) {
    const { RedisSignals } = await import('./redis_signals.js')
    return RedisSignals.connect(redisUrl, report)
  }
  return new MemorySignals(report)
}
