import type { Logger } from '@adonisjs/core/logger'

import { env } from '#start/env'

import { MemorySignals } from './memory_signals.js'
import type { Signals } from './signals.js'

/** Connects this process with the others if REDIS_URL is set. */
export async function openSignals(logger: Pick<Logger, 'warn'>): Promise<Signals> {
  const report = (error: Error, what: string) => logger.warn({ err: error }, what)
  if (env.REDIS_URL) {
    const { RedisSignals } = await import('./redis_signals.js')
    return RedisSignals.connect(env.REDIS_URL, report)
  }
  return new MemorySignals(report)
}
