import type { Logger } from '@adonisjs/core/logger'

import { env } from '#start/env'

import { MemorySignals } from './memory_signals.js'
import type { Signals } from './signals.js'

let current: Signals = new MemorySignals()

/** The signals of this process. */
export const signals: Signals = {
  publish: (messages) => current.publish(messages),
  subscribe: (channel, listener) => current.subscribe(channel, listener),
  wake: (topic) => current.wake(topic),
  onWake: (topic, listener) => current.onWake(topic, listener),
  get isReady() {
    return current.isReady
  },
  close: () => current.close(),
}

/**
 * Connects this process with the others where REDIS_URL is set; before anything listens.
 */
export async function openSignals(logger: Pick<Logger, 'warn'>): Promise<void> {
  const report = (error: Error, what: string) => logger.warn({ err: error }, what)
  if (env.REDIS_URL) {
    const { RedisSignals } = await import('./redis_signals.js')
    current = await RedisSignals.connect(env.REDIS_URL, report)
  } else {
    current = new MemorySignals(report)
  }
}

/**
 * Puts other signals in their place until the returned function is called.
 */
export function useSignals(given: Signals): () => void {
  const previous = current
  current = given
  return () => {
    current = previous
  }
}
