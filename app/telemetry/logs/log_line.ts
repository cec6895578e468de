import type { LogChannel, LogLevel } from '#records/log_lines'
import type { Reporter } from '#telemetry/events/reporter'

/** Fields that filters treat like labels. */
export const LOG_FIELDS = ['level', 'channel', 'service'] as const

export type LineLabels = Readonly<Record<string, string>>

/** A line as it is read. */
export interface LogRecord {
  /** In UTC, to the millisecond. */
  readonly time: string
  readonly message: string
  readonly level: LogLevel
  readonly service: string
  readonly channel: LogChannel
  readonly labels: LineLabels
}

/** Who reported a line and whose it is. The platform sets it, never the sender. */
export interface LineOwner {
  readonly reportedBy: Reporter
  /** The realms that may read the line; without any, only the master realm may. */
  readonly realms: readonly string[]
}

/** A line with its owner, which lines of earlier releases do not have. */
export interface OwnedRecord extends LogRecord {
  readonly owner?: LineOwner | undefined
}

/** A line as it is written. */
export interface LogLine extends OwnedRecord {
  /**
   * Identifies the line, even among equal ones. Keys are ascending; a redelivered line has the same unique part.
   */
  readonly key: string
}

/** The line as it is read, as JSON. Its realms are not shown. */
export function recordText(line: OwnedRecord): string {
  const { owner } = line
  return JSON.stringify({ ...recordOf(line), ...(owner && { reportedBy: owner.reportedBy }) })
}

/** The line without its key, its members in the order of the wire. */
export function recordOf({ time, message, level, service, channel, labels }: LogRecord): LogRecord {
  return { time, message, level, service, channel, labels }
}
