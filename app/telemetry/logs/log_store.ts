import type { LogFilter } from './log_filter.js'
import type { LogLine } from './log_line.js'
import type { StreamedRecord } from '#auth/record_stream'

export interface LogPage {
  readonly limit: number
  readonly offset: number
  readonly oldestFirst?: boolean
}

export interface LogList {
  /** Records as JSON text, the newest first unless it was asked otherwise; those of one time by their keys. */
  readonly records: readonly string[]
  /** How many there are in all. */
  readonly total: number
}

export interface WriteOptions {
  /** The lines may have been written before, as those are that the bus delivers once more: none is kept twice. */
  readonly again?: boolean
}

/**
 * Keeps log lines. A line that was written may take a moment to be found. Every method rejects with `ServiceUnavailable` while
 * the store is away.
 */
export interface LogStore {
  /**
   * Resolves when the lines are taken. Rejects with `OutsideRetention` where one is older, or newer, than the store keeps, and
   * takes none then.
   */
  write(lines: readonly LogLine[], options?: WriteOptions): Promise<void>

  /** One page of the lines that are meant, and how many there are. Rejects with `FilterUnsupported` rather than to mean others. */
  list(filter: LogFilter, page: LogPage): Promise<LogList>

  /**
   * Removes the lines that `list` finds at the time of the call, all of them; they are gone when it resolves. Rejects with
   * `DeletionUnsupported` where the store cannot.
   */
  remove(filter: LogFilter): Promise<void>

  /**
   * The lines that come in from now on, or after the one with the cursor, until the signal aborts. A cursor of a store that
   * began anew since stands for its beginning.
   */
  tail(filter: LogFilter, signal: AbortSignal, after?: string): AsyncIterable<StreamedRecord>

  /** Why nothing can be removed, where that is so. */
  findDeletionProblem(): Promise<string | undefined>

  /** Waits for what is under way; nothing may be written any more. */
  close(): Promise<void>
}
