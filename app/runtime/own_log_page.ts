import app from '@adonisjs/core/services/app'

import { RouteNotFound } from '#kernel/failures'
import { OwnLogStore } from '#telemetry/logs/log_store'

const SHOWN = { limit: 1_000, offset: 0 }

/** The log lines of telemetry itself, newest first. They stay in memory, since they may be about the log store. */
export async function ownLogPage(): Promise<{ type: string; body: string }> {
  if (!app.container.hasBinding(OwnLogStore)) {
    throw new RouteNotFound('GET')
  }
  const store = await app.container.make(OwnLogStore)
  const own = { kind: 'oneOf', name: 'service', values: ['hub-server-telemetry'] } as const
  const { records } = await store.list(own, SHOWN)
  return { type: 'application/x-ndjson', body: records.map((record) => `${record}\n`).join('') }
}
