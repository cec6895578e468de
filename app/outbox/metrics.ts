import { Counter, Gauge } from 'prom-client'

import { metrics } from '#observability/metrics'
import { ScrapedRows } from '#observability/scraped_rows'
import { SeriesCache } from '#observability/series_cache'

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

interface OutboxBacklog {
  readonly database: string
  readonly backlog: Backlog
}

/** The outboxes that this process publishes. */
const backlogs = new ScrapedRows<OutboxBacklog>()

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

const series = new SeriesCache(published)

export const relayMetrics = {
  published: (destination: string) => series.for(destination, destination).inc(),

  failed: (destination: string) => failed.inc({ destination }),

  /** Reports the backlog of a database until the returned function is called. */
  showBacklog(database: string, readBacklog: () => Promise<Backlog>): () => void {
    return backlogs.show(database, async () => [{ database, backlog: await readBacklog() }])
  },
}

async function show(gauge: Gauge<'database'>, figure: (backlog: Backlog) => number) {
  const rows = await backlogs.read()
  gauge.reset()
  for (const { database, backlog } of rows) {
    gauge.set({ database }, figure(backlog))
  }
}
