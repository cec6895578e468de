import type { LogChannel, LogLevel } from '#records/log_lines'

/** What stands beside the labels of a line, and is asked for as they are. */
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
   * Tells it apart from all others, those with the same content included. Keys that are made later are greater; a line that is
   * sent once more has the same.
   */
  readonly key: string
}

/** The line without what only the store has to know, its parts in the order of the wire. */
export function recordOf({ time, message, level, service, channel, labels }: LogRecord): LogRecord {
  return { time, message, level, service, channel, labels }
}
