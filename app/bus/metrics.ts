import { Counter, Histogram } from 'prom-client'

import { metrics } from '#observability/metrics'
import type { Routing } from './message.js'

const published = new Counter({
  name: 'bus_published_total',
  help: 'Messages handed to the bus, by the kind of their way and whether the bus took them',
  labelNames: ['type', 'outcome'] as const,
  registers: [metrics],
})

const settled = new Counter({
  name: 'bus_settled_total',
  help: 'Messages a consumer was done with, by what became of them',
  labelNames: ['queue', 'outcome'] as const,
  registers: [metrics],
})

const failed = new Counter({
  name: 'bus_failed_attempts_total',
  help: 'Attempts to handle a message that failed, by whether the message or the infrastructure was at fault',
  labelNames: ['queue', 'fault'] as const,
  registers: [metrics],
})

const handling = new Histogram({
  name: 'bus_handling_seconds',
  help: 'Time of one attempt to handle a message, with its transaction',
  labelNames: ['queue'] as const,
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [metrics],
})

/** The outcome of a delivery. */
export type Outcome = 'handled' | 'repeated' | 'ignored' | 'dead' | 'malformed'

export const busMetrics = {
  /** Counts the outcome of a publish. */
  async countPublish(type: Routing['type'], confirmation: Promise<unknown>): Promise<void> {
    try {
      await confirmation
      published.inc({ type, outcome: 'safe' })
    } catch (error) {
      published.inc({ type, outcome: 'refused' })
      throw error
    }
  },
  settled: (queue: string, outcome: Outcome) => settled.inc({ queue, outcome }),
  failed: (queue: string, fault: 'message' | 'infrastructure') => failed.inc({ queue, fault }),
  startHandling: (queue: string) => handling.startTimer({ queue }),
}
