import app from '@adonisjs/core/services/app'

import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { where, type Condition } from '#query/condition'
import { isUuid } from '#kernel/is_uuid'
import { isMasterMember, requireRealm } from '#kernel/realm'
import { CachedParticipations } from './cached_participations.js'
import { storageSettings } from '#storage/storage_settings'

/** What decides who may access a bucket or file; for a file, its bucket decides as well. */
export interface AccessFacts {
  readonly actorType: string | null
  readonly actorId: string | null
  readonly realmId: string | null
  readonly refType?: string | null
  readonly refId?: string | null
  readonly bucket?: AccessFacts
}

/** Records without a realm are readable by every caller, but not writable. */
export type AccessMode = 'read' | 'upload'

const ANALYSIS = 'analysis'

/** Whether an actor may read a bucket or file, or upload into it. */
export async function canAccess(
  actor: Actor,
  row: AccessFacts,
  mode: AccessMode = 'read'
): Promise<boolean> {
  if (hasFullAccess(actor) || isAllowed(actor, row, mode)) {
    return true
  }
  const { refType, refId } = row.bucket ?? row
  return (
    refType?.toLowerCase() === ANALYSIS &&
    typeof refId === 'string' &&
    canParticipate(actor) &&
    participatesIn(actor, refId.toLowerCase())
  )
}

/** Throws unless the actor may access the bucket or file. */
export async function requireAccess(
  actor: Actor,
  row: AccessFacts,
  mode: AccessMode = 'read'
): Promise<void> {
  if (!(await canAccess(actor, row, mode))) {
    throw new PermissionDenied('The bucket belongs to another realm')
  }
}

/**
 * Whether the actor created the record. Type and id must match: the same id may belong to a user and to a client.
 */
export function owns(actor: Actor, { actorType, actorId }: AccessFacts): boolean {
  return actorType === actor.kind && actorId !== null && actorId === actor.id.toLowerCase()
}

/** Throws unless the actor created the record, or has the permission and may write in its realm. */
export function requireOwnerOr(actor: Actor, row: AccessFacts, permission: string): void {
  if (owns(actor, row)) {
    return
  }
  if (!actor.permissions.has(permission)) {
    throw PermissionDenied.missing([permission])
  }
  requireRealm(actor, row.realmId)
}

/** Conditions for the buckets that an actor may access; none if these are all. */
export async function accessibleBuckets(actor: Actor): Promise<readonly Condition[]> {
  if (hasFullAccess(actor)) {
    return []
  }
  const analyses = await analysesFor(actor)
  return [
    where.sql(
      (row, bind) => bucketTest(actor, analyses, row, bind),
      ['actor_type', 'actor_id', 'realm_id', 'ref_type', 'ref_id']
    ),
  ]
}

/**
 * Conditions for the files that an actor may access directly or by their bucket. If the query involves the bucket,
 * the actor needs access to the bucket as well.
 */
export async function accessibleFiles(
  actor: Actor,
  queriesBucket: boolean
): Promise<readonly Condition[]> {
  if (hasFullAccess(actor)) {
    return []
  }
  const analyses = await analysesFor(actor)
  return [
    where.sql(
      (row, bind) => {
        const inBucket = `${row}.bucket_id in (select b.id from buckets b
          where ${bucketTest(actor, analyses, 'b', bind)})`
        return queriesBucket ? inBucket : `${ownTest(actor, row, bind)} or ${inBucket}`
      },
      ['actor_type', 'actor_id', 'realm_id', 'bucket_id']
    ),
  ]
}

/**
 * Permissions do not extend to other realms. Clients and robots have access to all realms unless strict realms are
 * on.
 */
function hasFullAccess(actor: Actor): boolean {
  return isMasterMember(actor) || (actor.kind !== 'user' && !storageSettings().isRealmStrict)
}

function isAllowed(actor: Actor, row: AccessFacts, mode: AccessMode): boolean {
  if (owns(actor, row) || (row.realmId !== null && row.realmId === actor.realmId)) {
    return true
  }
  return row.bucket ? isAllowed(actor, row.bucket, mode) : row.realmId === null && mode === 'read'
}

const NO_ANALYSES: ReadonlySet<string> = new Set()

/** Only clients of nodes participate in analyses. */
const canParticipate = ({ kind }: Actor) => kind === 'client' && storageSettings().isRealmStrict

async function analysesFor(actor: Actor): Promise<ReadonlySet<string>> {
  if (!canParticipate(actor)) {
    return NO_ANALYSES
  }
  const participations = await app.container.make(CachedParticipations)
  return participations.analysesOf(actor.id)
}

async function participatesIn(actor: Actor, analysisId: string): Promise<boolean> {
  const participations = await app.container.make(CachedParticipations)
  return participations.includes(actor.id, analysisId)
}

type Bind = (value: unknown) => string

function bucketTest(actor: Actor, analyses: ReadonlySet<string>, row: string, bind: Bind): string {
  const tests = [ownTest(actor, row, bind), `${row}.realm_id is null`]
  if (analyses.size > 0) {
    const ids = bind([...analyses])
    tests.push(
      `lower(${row}.ref_type) = '${ANALYSIS}' and lower(${row}.ref_id) = any(${ids}::text[])`
    )
  }
  return tests.map((test) => `(${test})`).join(' or ')
}

function ownTest({ kind, id, realmId }: Actor, row: string, bind: Bind): string {
  const tests: string[] = []
  if (isUuid(id)) {
    tests.push(`${row}.actor_type = ${bind(kind)} and ${row}.actor_id = ${bind(id)}::uuid`)
  }
  if (realmId !== null && isUuid(realmId)) {
    tests.push(`${row}.realm_id = ${bind(realmId)}::uuid`)
  }
  return tests.length === 0 ? 'false' : tests.map((test) => `(${test})`).join(' or ')
}
