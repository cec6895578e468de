import type { LogFilter } from './log_filter.js'
import type { LogLine } from './log_line.js'
import type { StreamedRecord } from '#auth/record_stream'

export interface LogPage {
  readonly limit: number
  readonly offset: number
  readonly oldestFirst?: boolean
}

export interface LogList {
  /** Records as JSON, the newest first by default; lines of the same time are ordered by key. */
  readonly records: readonly string[]
  /** The number of all matching lines. */
  readonly total: number
}

export interface WriteOptions {
  /** The lines may be redeliveries of the bus: those that are stored already are skipped. */
  readonly again?: boolean
}

/**
 * Stores log lines. A written line may become visible with a delay. Every method rejects with `ServiceUnavailable`
 * while the store is away.
 */
export abstract class LogStore {
  /**
   * Resolves when the lines are accepted. Rejects with `OutsideRetention`, and accepts none, if a line is older or
   * newer than the store accepts.
   */
  abstract write(lines: readonly LogLine[], options?: WriteOptions): Promise<void>

  /**
   * A page of the matching lines and their total. Rejects with `FilterUnsupported` if the store cannot evaluate the
   * filter exactly.
   */
  abstract list(filter: LogFilter, page: LogPage): Promise<LogList>

  /**
   * Removes the lines that `list` returns at the time of the call, before it resolves. Rejects with
   * `DeletionUnsupported` if the store cannot.
   */
  abstract remove(filter: LogFilter): Promise<void>

  /**
   * Streams lines that arrive from now on, or after a cursor, until the signal aborts. A cursor from before a
   * restart of the store means its beginning.
   */
  abstract tail(
    filter: LogFilter,
    signal: AbortSignal,
    after?: string
  ): AsyncIterable<StreamedRecord>

  /** Why the store cannot delete lines; undefined if it can. */
  abstract findDeletionProblem(): Promise<string | undefined>

  /** Waits for pending writes. Nothing may be written after this. */
  abstract close(): Promise<void>
}

/** The store of telemetry's own lines: always in memory, since they may be about the other store. */
export abstract class OwnLogStore extends LogStore {}
