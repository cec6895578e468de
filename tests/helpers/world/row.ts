import type { BucketType, Decision } from './analyses.js'

/** The part of a node in an analysis, as far as it decides who may. */
export interface PartFacts {
  readonly clientId: string
  readonly realmId: string
  readonly decision: Decision
}

/** What decides who may reach a row. */
export interface Row {
  readonly name: string
  readonly id: string
  /** The realm that it belongs to; null for what belongs to the installation. */
  readonly realmId: string | null
  /** The realm of its node, for a part in a project or an analysis. */
  readonly nodeRealmId?: string
  /** The client that it is about: of a node, or of the node of a part. */
  readonly clientId?: string
  /** The caller who made it. */
  readonly ownerId?: string
  /** The caller who began it, for an upload. */
  readonly uploaderId?: string
  readonly analysis?: {
    readonly id: string
    readonly creatorId: string
    readonly parts: readonly PartFacts[]
    readonly type?: BucketType
  }
}
