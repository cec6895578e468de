import app from '@adonisjs/core/services/app'

/** What telemetry is told: `config/telemetry.ts`. */
export interface TelemetrySettings {
  /** How long events are retained whose sender does not say; 0 retains them forever. */
  readonly eventRetentionDays: number
  /** Whether this process fills its log store from the bus. */
  readonly ingestsLogs: boolean
}

export const telemetrySettings = (): TelemetrySettings => app.config.get('telemetry')
