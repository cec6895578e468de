import { Gauge } from 'prom-client'

import type { DatabasePool } from '#database/database_pool'
import { metrics } from '#observability/metrics'
import { ScrapedRows } from '#observability/scraped_rows'
import { PARTY_KINDS, type PartyKind } from './party.js'

interface Backlog {
  readonly kind: PartyKind
  readonly messages: number
  /** Age of the oldest message. */
  readonly seconds: number
}

const BACKLOG = `
  select kind,
    coalesce((select sum(messages) from mailboxes where recipient_type = kind), 0)::float8 as messages,
    greatest(0, coalesce(extract(epoch from now() -
      (select min(created_at) from messages where recipient_type = kind)), 0))::float8 as seconds
  from unnest($1::text[]) as kinds (kind)`

const backlogs = new ScrapedRows<Backlog>()

/** Exposes the backlog of a database as metrics. None is shown while it is unavailable; it has its own metric. */
export function exposeBacklog(pool: DatabasePool): void {
  backlogs.show('messenger', async () => {
    const { rows } = await pool.read<Backlog>({ text: BACKLOG, values: [PARTY_KINDS] })
    return rows
  })
}

new Gauge({
  name: 'mailbox_messages',
  help: 'Messages that wait, by the kind of their recipients; shown by processes that sweep',
  labelNames: ['kind'] as const,
  registers: [metrics],
  collect() {
    return setGauge(this, ({ messages }) => messages)
  },
})

new Gauge({
  name: 'mailbox_oldest_seconds',
  help: 'Age of the oldest message that waits, by the kind of its recipient; shown by processes that sweep',
  labelNames: ['kind'] as const,
  registers: [metrics],
  collect() {
    return setGauge(this, ({ seconds }) => seconds)
  },
})

async function setGauge(gauge: Gauge<'kind'>, figure: (backlog: Backlog) => number): Promise<void> {
  gauge.reset()
  for (const backlog of await backlogs.read()) {
    gauge.set({ kind: backlog.kind }, figure(backlog))
  }
}
