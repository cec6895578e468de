import { Gauge } from 'prom-client'

import type { DatabasePool } from '#database/database_pool'
import { metrics } from '#observability/metrics'
import { PARTY_KINDS, type PartyKind } from './party.js'

interface Backlog {
  readonly kind: PartyKind
  readonly messages: number
  /** Age of the oldest. */
  readonly seconds: number
}

const LOOK = `
  select kind,
    coalesce((select sum(messages) from mailboxes where recipient_type = kind), 0)::float8 as messages,
    greatest(0, coalesce(extract(epoch from now() -
      (select min(created_at) from messages where recipient_type = kind)), 0))::float8 as seconds
  from unnest($1::text[]) as kinds (kind)`

let shown: DatabasePool | undefined
let looking: Promise<readonly Backlog[]> | undefined

/** Shows how much waits in the mailboxes of a database. */
export function showBacklog(pool: DatabasePool): void {
  shown = pool
}

new Gauge({
  name: 'mailbox_messages',
  help: 'Messages that wait, by the kind of their recipients; shown by processes that sweep',
  labelNames: ['kind'] as const,
  registers: [metrics],
  collect() {
    return show(this, ({ messages }) => messages)
  },
})

new Gauge({
  name: 'mailbox_oldest_seconds',
  help: 'Age of the oldest message that waits, by the kind of its recipient; shown by processes that sweep',
  labelNames: ['kind'] as const,
  registers: [metrics],
  collect() {
    return show(this, ({ seconds }) => seconds)
  },
})

async function show(gauge: Gauge<'kind'>, figure: (backlog: Backlog) => number): Promise<void> {
  gauge.reset()
  for (const backlog of await backlogsNow()) {
    gauge.set({ kind: backlog.kind }, figure(backlog))
  }
}

/** Both figures of one page are from one look. */
function backlogsNow(): Promise<readonly Backlog[]> {
  looking ??= look().finally(() => {
    looking = undefined
  })
  return looking
}

/** A database that is away has no backlog that could be shown, and is missed elsewhere. */
async function look(): Promise<readonly Backlog[]> {
  const found = await shown
    ?.read<Backlog>({ text: LOOK, values: [PARTY_KINDS] })
    .catch(() => undefined)
  return found?.rows ?? []
}
