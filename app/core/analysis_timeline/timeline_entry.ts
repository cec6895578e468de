/** Something that happened to an analysis. */
export interface TimelineEntry {
  /** ISO text in UTC, to the millisecond. */
  readonly time: string
  readonly source: SourceName
  readonly name: string
  readonly actor?: {
    readonly type: string
    readonly id: string | null
    readonly name: string | null
  }
  /** Who handed in what the audit trail keeps: a caller, the bus or the platform. */
  readonly reportedBy?: unknown
  /** The node it happened at, by its id. */
  readonly node?: string
  readonly message?: string
  readonly data?: unknown
}

export const SOURCE_NAMES = ['event', 'status', 'approval', 'log'] as const

export type SourceName = (typeof SOURCE_NAMES)[number]

/** What one source knows of an analysis. */
export interface TimelineSource {
  /** Entries of before a time, the newest first; those of one time always in the same order. */
  read(analysisId: string, part: TimelineRange): Promise<readonly TimelineEntry[]>
}

export interface TimelineRange {
  /** The moment after the last one that is meant; without it, there is no end. */
  readonly until: string | undefined
  readonly limit: number
}
