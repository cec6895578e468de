import { isEmbedded } from '#configuration/embedded_drivers'
import type { TelemetrySettings } from '#telemetry/telemetry_settings'
import { env } from '#start/env'

const settings: TelemetrySettings = {
  eventRetentionDays: env.EVENT_RETENTION_DAYS,
  // A memory store is filled by the process that serves it.
  ingestsLogs: !isEmbedded('logs', env) || env.SURFACES.includes('telemetry'),
}

export default settings
