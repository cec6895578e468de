import type { ServerAddresses } from '#telemetry/logs/victorialogs/server'

interface LogStoreVariables {
  readonly LOGSTORE_URL?: string | undefined
  readonly LOGSTORE_INGESTOR_URL?: string | undefined
  readonly LOGSTORE_QUERIER_URL?: string | undefined
}

/** The server of the log store; undefined for a store in memory. */
export function logServer(env: LogStoreVariables): ServerAddresses | undefined {
  const { ingestor, querier } = addressesIn(env)
  return ingestor !== undefined && querier !== undefined ? { ingestor, querier } : undefined
}

/** The addresses of the log store; empty for a memory store. */
export function logStoreAddresses(env: LogStoreVariables): readonly string[] {
  const { ingestor, querier } = addressesIn(env)
  return [...new Set([ingestor, querier].filter((address) => address !== undefined))]
}

function addressesIn({
  LOGSTORE_URL: both,
  LOGSTORE_INGESTOR_URL: ingestor = both,
  LOGSTORE_QUERIER_URL: querier = both,
}: LogStoreVariables) {
  return { ingestor, querier }
}
