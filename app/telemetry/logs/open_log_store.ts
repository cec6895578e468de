import type { Env } from '#configuration/variables'
import type { LogStore } from './log_store.js'
import { MemoryLogStore } from '#telemetry/logs/memory/memory_log_store'

type LogStoreSettings = Pick<
  Env,
  | 'LOGSTORE_URL'
  | 'LOGSTORE_INGESTOR_URL'
  | 'LOGSTORE_QUERIER_URL'
  | 'LOGSTORE_MEMORY_LINES'
  | 'LOGSTORE_MEMORY_BYTES'
  | 'LOGSTORE_RETENTION_DAYS'
>

interface LogStoreDependencies {
  readonly report: (error: unknown, what: string) => void
  /** Notifies the processes that share a store of deletions. */
  readonly removals: { notify(): void; onNotification(listener: () => void): void }
}

/** Whether lines are stored in the memory of the process that serves them. */
export function isInMemory(env: LogStoreSettings): boolean {
  return addressesIn(env) === undefined
}

/** Opens the configured store: a server if it has addresses, otherwise the memory of this process. */
export async function openLogStore(
  env: LogStoreSettings,
  dependencies: LogStoreDependencies
): Promise<LogStore> {
  const addresses = addressesIn(env)
  if (!addresses) {
    return memoryStore(env)
  }
  const { VictoriaLogsStore } = await import('#telemetry/logs/victorialogs/victorialogs_store')
  const store = new VictoriaLogsStore({
    ...addresses,
    retentionDays: env.LOGSTORE_RETENTION_DAYS,
    report: dependencies.report,
    notifyRemoval: () => dependencies.removals.notify(),
  })
  dependencies.removals.onNotification(() => store.forgetUnconfirmed())
  void warnOfMissingDeletion(store, dependencies.report)
  return store
}

/** A store in the memory of this process. */
export function memoryStore(env: LogStoreSettings): MemoryLogStore {
  return new MemoryLogStore({
    lines: env.LOGSTORE_MEMORY_LINES,
    bytes: env.LOGSTORE_MEMORY_BYTES,
  })
}

function addressesIn({
  LOGSTORE_URL: both,
  LOGSTORE_INGESTOR_URL: ingestor = both,
  LOGSTORE_QUERIER_URL: querier = both,
}: LogStoreSettings) {
  return ingestor !== undefined && querier !== undefined ? { ingestor, querier } : undefined
}

/** Warns at the start. Each deletion checks again, since the server may be replaced. */
async function warnOfMissingDeletion(
  store: LogStore,
  report: LogStoreDependencies['report']
): Promise<void> {
  const reason = await store.findDeletionProblem().catch(() => undefined)
  if (reason !== undefined) {
    report(new Error(reason), 'logs cannot be deleted')
  }
}
