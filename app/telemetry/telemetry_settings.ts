import app from '@adonisjs/core/services/app'

import type { ServerAddresses } from '#telemetry/logs/victorialogs/server'
import type { AuditBucket } from '#telemetry/trail/make_audit_bucket'

/** Settings of telemetry, from `config/telemetry.ts`. */
export interface TelemetrySettings {
  /** How long events are retained whose sender does not say; 0 retains them forever. */
  readonly eventRetentionDays: number
  /** Whether this process fills its log store from the bus. */
  readonly ingestsLogs: boolean
  /** The addresses of the log store; none for a store in memory. */
  readonly logStoreAddresses: readonly string[]
  readonly logStore: {
    /** Without a server, lines are stored in memory. */
    readonly server: ServerAddresses | undefined
    readonly retentionDays: number
    /** How much a store in memory retains. */
    readonly memory: { readonly lines: number; readonly bytes: number }
  }
  /** Where the heads of the audit trail are stored. Without a bucket, in the folder. */
  readonly auditBucket: AuditBucket | undefined
  readonly auditFolder: string
}

export const telemetrySettings = (): TelemetrySettings => app.config.get('telemetry')
