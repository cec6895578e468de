import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { where, type Condition } from '#query/condition'
import { isUuid } from '#kernel/is_uuid'
import { isMasterMember, requireRealm } from '#kernel/realm'
import { analysesOf, takesPart } from './participation.js'
import { strictRealm } from './strict_realm.js'

/** What decides who reaches a bucket, or a file: then its bucket is looked at as well. */
export interface Reached {
  readonly actorType: string | null
  readonly actorId: string | null
  readonly realmId: string | null
  readonly refType?: string | null
  readonly refId?: string | null
  readonly bucket?: Reached
}

/** What belongs to no realm is read by every caller, and filled only by those who reach it for another reason. */
export type Use = 'read' | 'upload'

const ANALYSIS = 'analysis'

/** Whether an actor may list, read and stream what this is, or put files into it. */
export async function mayReach(actor: Actor, row: Reached, use: Use = 'read'): Promise<boolean> {
  if (reachesEverything(actor) || reaches(actor, row, use)) {
    return true
  }
  const { refType, refId } = row.bucket ?? row
  return (
    refType?.toLowerCase() === ANALYSIS &&
    typeof refId === 'string' &&
    mayTakePart(actor) &&
    takesPart(actor.id, refId.toLowerCase())
  )
}

/** Throws where an actor may not reach what this is. */
export async function requireReach(actor: Actor, row: Reached, use: Use = 'read'): Promise<void> {
  if (!(await mayReach(actor, row, use))) {
    throw new PermissionDenied('The bucket belongs to another realm')
  }
}

/** Whether an actor made this, which takes both: one id may belong to a user here and to a client elsewhere. */
export function owns(actor: Actor, { actorType, actorId }: Reached): boolean {
  return actorType === actor.kind && actorId !== null && actorId === actor.id.toLowerCase()
}

/** Throws unless an actor made this, or holds the permission and may write in its realm. */
export function requireOwnerOr(actor: Actor, row: Reached, permission: string): void {
  if (owns(actor, row)) {
    return
  }
  if (!actor.permissions.has(permission)) {
    throw PermissionDenied.missing([permission])
  }
  requireRealm(actor, row.realmId)
}

/** The buckets an actor reaches, as conditions of a list; none where these are all. */
export async function reachableBuckets(actor: Actor): Promise<readonly Condition[]> {
  if (reachesEverything(actor)) {
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
 * The files an actor reaches: for themselves, or for their buckets. A query that shows something of the buckets, or asks by it,
 * is about those with a bucket that the actor reaches too.
 */
export async function reachableFiles(
  actor: Actor,
  touchesBucket: boolean
): Promise<readonly Condition[]> {
  if (reachesEverything(actor)) {
    return []
  }
  const analyses = await analysesFor(actor)
  return [
    where.sql(
      (row, bind) => {
        const inBucket = `${row}.bucket_id in (select b.id from buckets b
          where ${bucketTest(actor, analyses, 'b', bind)})`
        return touchesBucket ? inBucket : `${ownTest(actor, row, bind)} or ${inBucket}`
      },
      ['actor_type', 'actor_id', 'realm_id', 'bucket_id']
    ),
  ]
}

/** No permission reaches into another realm. Machines do where the installation is told not to look closer. */
function reachesEverything(actor: Actor): boolean {
  return isMasterMember(actor) || (actor.kind !== 'user' && !strictRealm.isOn)
}

function reaches(actor: Actor, row: Reached, use: Use): boolean {
  if (owns(actor, row) || (row.realmId !== null && row.realmId === actor.realmId)) {
    return true
  }
  return row.bucket ? reaches(actor, row.bucket, use) : row.realmId === null && use === 'read'
}

const NONE: ReadonlySet<string> = new Set()

/** Only the client of a node may take part in an analysis. */
const mayTakePart = ({ kind }: Actor) => kind === 'client' && strictRealm.isOn

async function analysesFor(actor: Actor): Promise<ReadonlySet<string>> {
  return mayTakePart(actor) ? analysesOf(actor.id) : NONE
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
