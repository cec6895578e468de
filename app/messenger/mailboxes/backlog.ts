import { Gauge } from 'prom-client'

import type { DatabasePool } from '#database/database_pool'
import { metrics } from '#observability/metrics'
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

let backlogPool: DatabasePool | undefined
let pendingRead: Promise<readonly Backlog[]> | undefined

/** Exposes the backlog of a database as metrics. */
export function exposeBacklog(pool: DatabasePool): void {
  backlogPool = pool
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
  for (const backlog of await readBacklogsOnce()) {
    gauge.set({ kind: backlog.kind }, figure(backlog))
  }
}

/** Both gauges of a scrape share one query. */
function readBacklogsOnce(): Promise<readonly Backlog[]> {
  pendingRead ??= readBacklogs().finally(() => {
    pendingRead = undefined
  })
  return pendingRead
}

/** No backlog is reported while the database is unavailable; the database has its own metric. */
async function readBacklogs(): Promise<readonly Backlog[]> {
  const result = await backlogPool
    ?.read<Backlog>({ text: BACKLOG, values: [PARTY_KINDS] })
    .catch(() => undefined)
  return result?.rows ?? []
}
