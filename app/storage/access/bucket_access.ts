import type { Actor } from '#kernel/actor'
import { PermissionDenied } from '#kernel/failures'
import { isMasterMember, requireRealm } from '#kernel/realm'
import { analysisOf, owns, type AccessFacts, type AccessMode } from './access_facts.js'
import type { Reach } from './analysis_reach.js'
import {
  builds,
  cachedReach,
  hasFullAccess,
  holdsAnyFor,
  isInside,
  programOf,
  reachQuery,
} from './callers.js'

/** Why an actor may access a record. Whoever reads code to decide about it is recorded. */
export type Ground = 'own' | 'decision'

const CODE = 'CODE'

/** Why an actor may read a bucket or file, or upload into it; undefined if it may not. */
async function groundFor(
  actor: Actor,
  row: AccessFacts,
  mode: AccessMode = 'read'
): Promise<Ground | undefined> {
  if (hasFullAccess(actor)) {
    return 'own'
  }
  const program = await programOf(actor)
  if (program !== null) {
    return (await isInReach(actor, program, row, mode)) ? 'own' : undefined
  }
  return groundOfPerson(actor, row, mode)
}

/** Whether an actor may read a bucket or file, or upload into it. */
export async function canAccess(
  actor: Actor,
  row: AccessFacts,
  mode: AccessMode = 'read'
): Promise<boolean> {
  return (await groundFor(actor, row, mode)) !== undefined
}

/** Throws unless the actor may access the bucket or file. Returns why it may. */
export async function requireAccess(
  actor: Actor,
  row: AccessFacts,
  mode: AccessMode = 'read'
): Promise<Ground> {
  const ground = await groundFor(actor, row, mode)
  if (ground === undefined) {
    throw new PermissionDenied(
      'The bucket belongs to another realm, or to an analysis that you take no part in'
    )
  }
  return ground
}

/**
 * Throws unless the actor created the record, or has the permission and may write in its realm. What belongs to a
 * program's analysis is changed by that program only where it may upload.
 */
export async function requireOwnerOr(
  actor: Actor,
  row: AccessFacts,
  permission: string
): Promise<void> {
  const program = await programOf(actor)
  if (program !== null && !(await isInReach(actor, program, row, 'upload'))) {
    throw new PermissionDenied('This client does not write in the bucket')
  }
  if (owns(actor, row)) {
    return
  }
  if (!actor.permissions.has(permission)) {
    throw PermissionDenied.missing([permission])
  }
  requireRealm(actor, row.realmId)
}

/** Throws unless the actor may change a bucket or remove a file: also whoever writes in the bucket of an analysis. */
export async function requireChange(actor: Actor, row: AccessFacts): Promise<void> {
  const bucket = row.bucket ?? row
  const isOfAnalysis = analysisOf(bucket) !== undefined
  if (isOfAnalysis && !(await isProgram(actor)) && (await canAccess(actor, bucket, 'upload'))) {
    return
  }
  const realmId = isOfAnalysis ? bucket.realmId : row.realmId
  const decisive = owns(actor, bucket) ? { ...bucket, bucket } : { ...row, realmId }
  await requireOwnerOr(actor, decisive, 'bucket_update')
}

/** Throws unless the actor may create a bucket for the analysis that it names, if any. */
export async function requireOwnAnalysis(
  actor: Actor,
  bucket: Omit<AccessFacts, 'actorType' | 'actorId' | 'bucket'>
): Promise<void> {
  const analysisId = analysisOf(bucket)
  if (analysisId === undefined || hasFullAccess(actor)) {
    return
  }
  const program = await programOf(actor)
  const nobody = { ...bucket, actorType: null, actorId: null }
  const reach = await cachedReach()
  const analysisRealm = await reach.realmOf(analysisId)
  const isUnknown = analysisRealm === undefined && program === null
  const isAllowed =
    program !== 'node' &&
    analysisRealm === bucket.realmId &&
    (await canAccess(actor, nobody, 'upload'))
  if (!isUnknown && !isAllowed) {
    throw new PermissionDenied(
      'A bucket of an analysis is created in its realm, by those who may write in its buckets'
    )
  }
}

const isProgram = async (actor: Actor) => (await programOf(actor)) !== null

/** The reach of a client of an analysis or a node. It writes no code of others. */
async function isInReach(
  actor: Actor,
  program: NonNullable<Reach['program']>,
  row: AccessFacts,
  mode: AccessMode
): Promise<boolean> {
  const bucket = row.bucket ?? row
  const analysisId = analysisOf(bucket)
  const isOwner = owns(actor, row) || owns(actor, bucket)
  if (analysisId === undefined) {
    return isOwner
  }
  const takesPart = await hasAnalysis(actor, analysisId)
  if (program === 'analysis' || mode === 'read') {
    return takesPart || isOwner
  }
  return takesPart && (await isForResults(bucket.id))
}

async function groundOfPerson(
  actor: Actor,
  row: AccessFacts,
  mode: AccessMode
): Promise<Ground | undefined> {
  const bucket = row.bucket ?? row
  const analysisId = analysisOf(bucket)
  if (
    owns(actor, row) ||
    owns(actor, bucket) ||
    (analysisId === undefined
      ? isOfRealm(actor, row, mode)
      : isInside(actor, bucket.realmId) && holdsAnyFor(actor, mode))
  ) {
    return 'own'
  }
  if (analysisId !== undefined && actor.kind === 'user' && (await hasAnalysis(actor, analysisId))) {
    return 'own'
  }
  return mode === 'read' ? groundOfCode(actor, bucket) : undefined
}

/** Code is read by those who decide about it, and by those who build it. */
async function groundOfCode(actor: Actor, { id }: AccessFacts): Promise<Ground | undefined> {
  if (builds(actor) && (await isOnly(id, CODE))) {
    return 'own'
  }
  if (!actor.permissions.has('analysis_approve')) {
    return undefined
  }
  const reach = await cachedReach()
  const decides = await reach.grants(reachQuery(actor), id, ({ codeBuckets }) =>
    codeBuckets.has(id)
  )
  return decides ? 'decision' : undefined
}

/** For buckets that belong to no analysis. */
function isOfRealm(actor: Actor, row: AccessFacts, mode: AccessMode): boolean {
  if (isMasterMember(actor) || (row.realmId !== null && row.realmId === actor.realmId)) {
    return true
  }
  return row.bucket ? isOfRealm(actor, row.bucket, mode) : row.realmId === null && mode === 'read'
}

async function hasAnalysis(actor: Actor, analysisId: string): Promise<boolean> {
  const reach = await cachedReach()
  return reach.grants(reachQuery(actor), analysisId, ({ analyses }) => analyses.has(analysisId))
}

async function isForResults(bucketId: string): Promise<boolean> {
  const reach = await cachedReach()
  const types = await reach.typesOf(bucketId)
  return types.length > 0 && !types.includes(CODE)
}

async function isOnly(bucketId: string, type: string): Promise<boolean> {
  const reach = await cachedReach()
  const types = await reach.typesOf(bucketId)
  return types.length > 0 && types.every((one) => one === type)
}
