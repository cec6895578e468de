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
  /** Who reported an audit event: a caller, the bus or the platform. */
  readonly reportedBy?: unknown
  /** The id of the node. */
  readonly node?: string
  readonly message?: string
  readonly data?: unknown
}

export const SOURCE_NAMES = ['event', 'status', 'approval', 'log'] as const

type SourceName = (typeof SOURCE_NAMES)[number]

/** A source of timeline entries. */
export interface TimelineSource {
  /** Reads entries, newest first, in a stable order. */
  read(analysisId: string, part: TimelineRange): Promise<readonly TimelineEntry[]>
}

interface TimelineRange {
  /** Exclusive end; open-ended if undefined. */
  readonly until: string | undefined
  readonly limit: number
}
