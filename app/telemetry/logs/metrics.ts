import { Counter } from 'prom-client'

import { metrics } from '#observability/metrics'

const written = new Counter({
  name: 'log_lines_written_total',
  help: 'Log lines that the log store accepted',
  labelNames: ['store'] as const,
  registers: [metrics],
})

const dropped = new Counter({
  name: 'log_lines_dropped_total',
  help: 'Lost log lines: the oldest of a full memory store, and those a store rejected or lost',
  labelNames: ['store'] as const,
  registers: [metrics],
})

const repeated = new Counter({
  name: 'log_lines_repeated_total',
  help: 'Log lines that the log store accepted and lost, so that they were sent again',
  registers: [metrics],
})

type Store = 'memory' | 'victorialogs' | 'own' | 'bus'

export const logMetrics = {
  written: (store: Store, count: number) => written.inc({ store }, count),
  dropped: (store: Store, count: number) => count > 0 && dropped.inc({ store }, count),
  repeated: (count: number) => repeated.inc(count),
}
