import { Counter } from 'prom-client'

import { metrics } from '#observability/metrics'

const written = new Counter({
  name: 'log_lines_written_total',
  help: 'Log lines that the log store took',
  labelNames: ['store'] as const,
  registers: [metrics],
})

const dropped = new Counter({
  name: 'log_lines_dropped_total',
  help: 'Log lines that are lost: the oldest of a full memory store, and those a store would not take or did not keep',
  labelNames: ['store'] as const,
  registers: [metrics],
})

const repeated = new Counter({
  name: 'log_lines_repeated_total',
  help: 'Log lines that the log store had taken and did not have a while later, so that they were sent once more',
  registers: [metrics],
})

type Store = 'memory' | 'victorialogs' | 'own' | 'bus'

export const logMetrics = {
  written: (store: Store, count: number) => written.inc({ store }, count),
  dropped: (store: Store, count: number) => count > 0 && dropped.inc({ store }, count),
  repeated: (count: number) => repeated.inc(count),
}
