import { Counter, Gauge } from 'prom-client'

import { metrics } from '#observability/metrics'

const published = new Counter({
  name: 'outbox_published_total',
  help: 'Entries of the outbox that reached a destination',
  labelNames: ['destination'] as const,
  registers: [metrics],
})

const failed = new Counter({
  name: 'outbox_pauses_total',
  help: 'Times a destination did not take an entry and was given a pause',
  labelNames: ['destination'] as const,
  registers: [metrics],
})

export interface Backlog {
  readonly depth: number
  /** The age of the oldest entry. */
  readonly seconds: number
}

/** The leading relays of this process by database. */
const leading = new Map<string, () => Promise<Backlog>>()

new Gauge({
  name: 'outbox_depth',
  help: 'Entries in the outbox, counted up to 100000; shown by the process that publishes them',
  labelNames: ['database'] as const,
  registers: [metrics],
  collect() {
    return show(this, (backlog) => backlog.depth)
  },
})

new Gauge({
  name: 'outbox_lag_seconds',
  help: 'Age of the oldest entry in the outbox; shown by the process that publishes them',
  labelNames: ['database'] as const,
  registers: [metrics],
  collect() {
    return show(this, (backlog) => backlog.seconds)
  },
})

type Series = ReturnType<typeof published.labels>

/** Caches the series, since a lookup by labels costs more than an increment. */
const known = new Map<string, Series>()

export const relayMetrics = {
  published(destination: string) {
    let series = known.get(destination)
    if (!series) {
      series = published.labels(destination)
      known.set(destination, series)
    }
    series.inc()
  },

  failed: (destination: string) => failed.inc({ destination }),

  /** Reports the backlog of a database until the returned function is called. */
  showBacklog(database: string, readBacklog: () => Promise<Backlog>): () => void {
    leading.set(database, readBacklog)
    return () => {
      leading.delete(database)
    }
  },
}

async function show(gauge: Gauge<'database'>, figure: (backlog: Backlog) => number) {
  const backlogs = await backlogsNow()
  gauge.reset()
  for (const { database, backlog } of backlogs) {
    gauge.set({ database }, figure(backlog))
  }
}

let pendingRead: ReturnType<typeof readBacklogs> | undefined

/** Both gauges of a scrape use the same query. */
function backlogsNow() {
  pendingRead ??= readBacklogs().finally(() => {
    pendingRead = undefined
  })
  return pendingRead
}

async function readBacklogs(): Promise<{ database: string; backlog: Backlog }[]> {
  const results = await Promise.allSettled(
    [...leading].map(async ([database, readBacklog]) => ({
      database,
      backlog: await readBacklog(),
    }))
  )
  return results.flatMap((readBacklog) =>
    readBacklog.status === 'fulfilled' ? [readBacklog.value] : []
  )
}
