import { isEmbedded } from '#configuration/embedded_drivers'
import { s3Disk } from '#configuration/s3_disk'
import { logServer, logStoreAddresses } from '#telemetry/logs/log_store_addresses'
import type { TelemetrySettings } from '#telemetry/telemetry_settings'
import { env } from '#start/env'

const { S3_ENDPOINT } = env

const settings: TelemetrySettings = {
  eventRetentionDays: env.EVENT_RETENTION_DAYS,
  // A memory store is filled by the process that serves it.
  ingestsLogs: !isEmbedded('logs', env) || env.SURFACES.includes('telemetry'),
  logStoreAddresses: logStoreAddresses(env),
  logStore: {
    server: logServer(env),
    retentionDays: env.LOGSTORE_RETENTION_DAYS,
    memory: { lines: env.LOGSTORE_MEMORY_LINES, bytes: env.LOGSTORE_MEMORY_BYTES },
  },
  auditBucket: S3_ENDPOINT ? s3Disk({ ...env, S3_ENDPOINT }) : undefined,
  auditFolder: env.STORAGE_PATH,
}

export default settings
