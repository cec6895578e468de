import type { Actor } from '#kernel/actor'

/** What decides who may access a bucket or file; for a file, its bucket decides as well. */
export interface AccessFacts {
  readonly id: string
  readonly actorType: string | null
  readonly actorId: string | null
  readonly realmId: string | null
  readonly refType?: string | null
  readonly refId?: string | null
  readonly bucket?: AccessFacts
}

/** Records without a realm are readable by every caller, but not writable. */
export type AccessMode = 'read' | 'upload'

export const ANALYSIS = 'analysis'

/**
 * Whether the actor created the record. Type and id must match: the same id may belong to a user and to a client.
 */
export function owns(
  actor: Actor,
  { actorType, actorId }: Pick<AccessFacts, 'actorType' | 'actorId'>
): boolean {
  return actorType === actor.kind && actorId !== null && actorId === actor.id.toLowerCase()
}

/** The analysis that a bucket belongs to. */
export function analysisOf({
  refType,
  refId,
}: Pick<AccessFacts, 'refType' | 'refId'>): string | undefined {
  const isReferred = refType?.toLowerCase() === ANALYSIS && typeof refId === 'string'
  return isReferred ? refId.toLowerCase() : undefined
}
