import type { LogChannel, LogLevel } from '#records/log_lines'

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

/** A line as it is written. */
export interface LogLine extends LogRecord {
  /**
   * Identifies the line, even among equal ones. Keys are ascending; a redelivered line has the same unique part.
   */
  readonly key: string
}

/** The line without its key, its members in the order of the wire. */
export function recordOf({ time, message, level, service, channel, labels }: LogRecord): LogRecord {
  return { time, message, level, service, channel, labels }
}
