import type { StreamOptions, StreamedRecord } from '#auth/record_stream'
import type { LogLevel } from '#records/log_lines'

export type LogLabels = Readonly<Record<string, string>>

export interface LogPage {
  readonly limit: number
  readonly offset: number
  readonly oldestFirst: boolean
  /** The moment after the last one that is meant, as ISO text; without it, there is no end. */
  readonly until?: string
}

/** A line that core writes. */
export interface NewLogLine {
  readonly time: string
  readonly message: string
  readonly level: LogLevel
  readonly service: string
  readonly channel: 'http'
  readonly labels: LogLabels
}

/** What core asks of those who keep logs: in this process, or of telemetry where it is. */
export interface AnalysisLogStore {
  /** A page of the lines that have all of these labels, as JSON texts, and how many there are. */
  list(
    labels: LogLabels,
    page: LogPage
  ): Promise<{ readonly records: readonly string[]; readonly total: number }>
  /** The lines that have all of these labels, as they come in. */
  tail(labels: LogLabels, tail: StreamOptions): AsyncIterable<StreamedRecord>
  write(line: NewLogLine): Promise<void>
  /** Removes the lines that have all of these labels. */
  remove(labels: LogLabels): Promise<void>
}

/** Where there is no telemetry, there are no logs. */
export const NO_LOGS: AnalysisLogStore = {
  list: async () => ({ records: [], total: 0 }),
  tail: async function* () {},
  write: async () => {},
  remove: async () => {},
}
