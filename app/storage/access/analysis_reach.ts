/** The caller whose reach is requested. */
export interface ReachQuery {
  readonly kind: string
  readonly id: string
  /** The realm for whose nodes the caller decides; null if it decides for none. */
  readonly decidesFor: string | null
}

/** What core knows about a caller. */
export interface Reach {
  /** The record that a client belongs to; null for people and for clients of neither. */
  readonly program: 'analysis' | 'node' | null
  /** Of an analysis's client its analysis, of a node's client the approved ones, of a user the created ones. */
  readonly analyses: ReadonlySet<string>
  /** The buckets with the code of analyses that the caller decides about. */
  readonly codeBuckets: ReadonlySet<string>
}

/** Knows who takes part in which analyses, and what their buckets are for. */
export abstract class AnalysisReach {
  abstract of(query: ReachQuery): Promise<Reach>
  /** The types of a bucket in all analyses that have it. */
  abstract typesOf(bucketId: string): Promise<readonly string[]>
  /** The realm of an analysis; undefined if there is none. */
  abstract realmOf(analysisId: string): Promise<string | undefined>
}

export const NO_REACH: Reach = { program: null, analyses: new Set(), codeBuckets: new Set() }
