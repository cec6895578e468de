interface LogStoreVariables {
  readonly LOGSTORE_URL?: string | undefined
  readonly LOGSTORE_INGESTOR_URL?: string | undefined
  readonly LOGSTORE_QUERIER_URL?: string | undefined
}

/** The addresses of the log store; empty for a memory store. */
export function logStoreAddresses(env: LogStoreVariables): readonly string[] {
  const addresses = [
    env.LOGSTORE_INGESTOR_URL ?? env.LOGSTORE_URL,
    env.LOGSTORE_QUERIER_URL ?? env.LOGSTORE_URL,
  ]
  return [...new Set(addresses.filter((address) => address !== undefined))]
}
