import type { Logger } from '@adonisjs/core/logger'

import type { Signals } from '#signals/signals'
import { MemoryLogStore } from '#telemetry/logs/memory/memory_log_store'
import { telemetrySettings } from '#telemetry/telemetry_settings'
import type { VictoriaLogsOptions } from '#telemetry/logs/victorialogs/victorialogs_store'
import type { LogStore } from './log_store.js'

/** The topic on which processes that share a store announce deletions. */
const REMOVAL_TOPIC = 'logs-removed'

type Report = VictoriaLogsOptions['report']

/** Opens the configured store: a server if it has addresses, otherwise the memory of this process. */
export async function openLogStore(signals: Signals, logger: Logger): Promise<LogStore> {
  const { server, retentionDays } = telemetrySettings().logStore
  if (!server) {
    return memoryStore()
  }
  const { VictoriaLogsStore } = await import('#telemetry/logs/victorialogs/victorialogs_store')
  const report = (error: unknown, what: string) => logger.warn({ err: error }, what)
  const store = new VictoriaLogsStore({
    ...server,
    retentionDays,
    report,
    notifyRemoval: () => signals.notify(REMOVAL_TOPIC),
  })
  void signals.onNotification(REMOVAL_TOPIC, () => store.forgetUnconfirmed())
  void warnOfMissingDeletion(store, report)
  return store
}

/** A store in the memory of this process. */
export function memoryStore(): MemoryLogStore {
  return new MemoryLogStore(telemetrySettings().logStore.memory)
}

/** Warns at the start. Each deletion checks again, since the server may be replaced. */
async function warnOfMissingDeletion(store: LogStore, report: Report): Promise<void> {
  const reason = await store.findDeletionProblem().catch(() => undefined)
  if (reason !== undefined) {
    report(new Error(reason), 'logs cannot be deleted')
  }
}
