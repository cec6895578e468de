import type { Actor } from '#kernel/actor'
import { isUuid } from '#kernel/is_uuid'
import { isMasterMember } from '#kernel/realm'
import { where, type Condition } from '#query/condition'
import { ANALYSIS } from './access_facts.js'
import { NO_REACH, type Reach } from './analysis_reach.js'
import {
  cachedReach,
  dependsOnCore,
  hasFullAccess,
  holdsAnyFor,
  programOf,
  reachQuery,
} from './callers.js'

type Bind = (value: unknown) => string

/** Conditions for the buckets that an actor may read; none if these are all. */
export async function accessibleBuckets(actor: Actor): Promise<readonly Condition[]> {
  const reach = await reachOf(actor)
  if (reach === undefined) {
    return []
  }
  return [
    where.sql(
      (row, bind) => bucketTest(actor, reach, row, bind),
      ['id', 'actor_type', 'actor_id', 'realm_id', 'ref_type', 'ref_id']
    ),
  ]
}

/**
 * Conditions for the files that an actor may read directly or by their bucket. If the query involves the bucket,
 * the actor needs access to the bucket as well.
 */
export async function accessibleFiles(
  actor: Actor,
  queriesBucket: boolean
): Promise<readonly Condition[]> {
  const reach = await reachOf(actor)
  if (reach === undefined) {
    return []
  }
  return [
    where.sql(
      (row, bind) => {
        const inBucket = `${row}.bucket_id in (select b.id from buckets b
          where ${bucketTest(actor, reach, 'b', bind)})`
        return queriesBucket ? inBucket : `${ownFile(actor, reach, row, bind)} or ${inBucket}`
      },
      ['actor_type', 'actor_id', 'realm_id', 'bucket_id']
    ),
  ]
}

/** Undefined if the actor may read everything. */
async function reachOf(actor: Actor): Promise<Reach | undefined> {
  if (hasFullAccess(actor)) {
    return undefined
  }
  const program = await programOf(actor)
  if (program === null && isMasterMember(actor) && holdsAnyFor(actor, 'read')) {
    return undefined
  }
  if (program === null && !dependsOnCore(actor)) {
    return NO_REACH
  }
  const reach = await cachedReach()
  return reach.latest(reachQuery(actor))
}

function bucketTest(actor: Actor, reach: Reach, row: string, bind: Bind): string {
  const tests = [ownTest(actor, row, bind)]
  if (reach.program === null) {
    tests.push(`not ${isOfAnalysis(row)} and (${realmTests(actor, row, bind)})`)
    if (holdsAnyFor(actor, 'read')) {
      tests.push(realmTest(actor, row, bind))
    }
  }
  if (reach.analyses.size > 0 && (reach.program !== null || actor.kind === 'user')) {
    const ids = bind([...reach.analyses])
    tests.push(`${isOfAnalysis(row)} and lower(${row}.ref_id) = any(${ids}::text[])`)
  }
  if (reach.program === null && reach.codeBuckets.size > 0) {
    tests.push(`${row}.id = any(${bind([...reach.codeBuckets])}::uuid[])`)
  }
  return tests.map((test) => `(${test})`).join(' or ')
}

/** Files of the realm, unless they are in the bucket of an analysis, and those that the actor sent. */
function ownFile(actor: Actor, reach: Reach, row: string, bind: Bind): string {
  const own = `(${ownTest(actor, row, bind)})`
  return reach.program !== null
    ? own
    : `${own} or (${realmTest(actor, row, bind)} and exists (
        select 1 from buckets o where o.id = ${row}.bucket_id and not ${isOfAnalysis('o')}))`
}

/** The realms whose buckets an actor reads if they belong to no analysis. */
function realmTests(actor: Actor, row: string, bind: Bind): string {
  return isMasterMember(actor)
    ? 'true'
    : `${realmTest(actor, row, bind)} or ${row}.realm_id is null`
}

/** Also true or false where a column is null. */
const isOfAnalysis = (row: string) =>
  `(lower(coalesce(${row}.ref_type, '')) = '${ANALYSIS}' and ${row}.ref_id is not null)`

function ownTest({ kind, id }: Actor, row: string, bind: Bind): string {
  return isUuid(id)
    ? `${row}.actor_type = ${bind(kind)} and ${row}.actor_id = ${bind(id)}::uuid`
    : 'false'
}

function realmTest({ realmId }: Actor, row: string, bind: Bind): string {
  return realmId !== null && isUuid(realmId) ? `${row}.realm_id = ${bind(realmId)}::uuid` : 'false'
}
