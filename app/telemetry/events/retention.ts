import { clock } from '#kernel/clock'
import { telemetrySettings } from '#telemetry/telemetry_settings'

const DAY_MS = 86_400_000

export interface Retention {
  readonly expiring: boolean
  readonly expiresAt: string | null
}

/** The retention of an event from the bus: as its sender says, otherwise as configured. */
export function retentionOf(
  { expiring, expiresAt }: { expiring?: boolean; expiresAt?: string | null },
  days: number = telemetrySettings().eventRetentionDays
): Retention {
  if (expiring === false) {
    return { expiring: false, expiresAt: null }
  }
  if (expiresAt) {
    return { expiring: true, expiresAt: new Date(expiresAt).toISOString() }
  }
  return days > 0
    ? { expiring: true, expiresAt: new Date(clock.now() + days * DAY_MS).toISOString() }
    : { expiring: false, expiresAt: null }
}
