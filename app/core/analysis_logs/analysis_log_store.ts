import type { StreamOptions, StreamedRecord } from '#auth/record_stream'
import type { LogLevel } from '#records/log_lines'

export type LogLabels = Readonly<Record<string, string>>

export interface LogPage {
  readonly limit: number
  readonly offset: number
  readonly oldestFirst: boolean
  /** Exclusive end as ISO text; open-ended if undefined. */
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

/** The log store that core uses: telemetry in this process or elsewhere. */
export abstract class AnalysisLogStore {
  /** A page of the lines with all of these labels, as JSON texts, and their total. */
  abstract list(
    labels: LogLabels,
    page: LogPage
  ): Promise<{ readonly records: readonly string[]; readonly total: number }>
  /** Streams new lines with all of these labels. */
  abstract tail(labels: LogLabels, tail: StreamOptions): AsyncIterable<StreamedRecord>
  abstract write(line: NewLogLine): Promise<void>
  /** Removes the lines with all of these labels. */
  abstract remove(labels: LogLabels): Promise<void>
}

/** For an installation without telemetry. */
export const NO_LOGS: AnalysisLogStore = {
  list: async () => ({ records: [], total: 0 }),
  tail: async function* () {},
  write: async () => {},
  remove: async () => {},
}
