import { corePool } from '#core/database'
import { isUuid } from '#kernel/is_uuid'

/** Of a caller with more than these, the newest count. */
const MAX_ROWS = 10_000

/** Who a caller is in analyses, and what it may read for a decision. */
interface CallerReach {
  readonly program: 'analysis' | 'node' | null
  readonly analyses: ReadonlySet<string>
  readonly codeBuckets: ReadonlySet<string>
}

interface ReachRow {
  readonly program: CallerReach['program']
  readonly analyses: string[]
}

const OF_CLIENT = {
  name: 'storage-access-of-client',
  text: `select case
      when exists (select 1 from nodes where client_id = $1) then 'node'
      when exists (select 1 from analyses where client_id = $1) then 'analysis' end as program,
    array(
      select id from analyses where client_id = $1
      union all (
        select a.analysis_id from analysis_nodes a join nodes n on n.id = a.node_id
        where n.client_id = $1 and a.approval_status = 'approved'
        order by a.created_at desc limit ${MAX_ROWS}))::text[] as analyses`,
}

const OF_USER = {
  name: 'storage-access-of-user',
  text: `select null as program, array(
      select id from analyses where user_id = $1 order by created_at desc limit ${MAX_ROWS})::text[] as analyses`,
}

/** A bucket that is also one of results, of any analysis, is not read for a decision. */
const CODE_BUCKETS = {
  name: 'code-buckets-to-decide',
  text: `select b.bucket_id as id from analysis_buckets b
    where b.type = 'CODE' and b.analysis_id in (
        select analysis_id from analysis_nodes where node_realm_id = $1)
      and not exists (
        select 1 from analysis_buckets o where o.bucket_id = b.bucket_id and o.type <> 'CODE')
    order by b.created_at desc limit ${MAX_ROWS}`,
}

/** What storage asks core before it lets a caller reach the buckets of analyses. */
export const storageReach = {
  async of(query: {
    readonly kind: string
    readonly id: string
    readonly decidesFor: string | null
  }): Promise<CallerReach> {
    const [{ program, analyses }, codeBuckets] = await Promise.all([
      rolesOf(query.kind, query.id),
      codeBucketsFor(query.decidesFor),
    ])
    return { program, analyses: new Set(analyses), codeBuckets: new Set(codeBuckets) }
  },

  async typesOf(bucketId: string): Promise<readonly string[]> {
    if (!isUuid(bucketId)) {
      return []
    }
    const { rows } = await corePool().query<{ type: string }>(
      'select distinct type from analysis_buckets where bucket_id = $1',
      [bucketId]
    )
    return rows.map(({ type }) => type)
  },

  async realmOf(analysisId: string): Promise<string | undefined> {
    if (!isUuid(analysisId)) {
      return undefined
    }
    const { rows } = await corePool().query<{ realmId: string }>(
      'select realm_id as "realmId" from analyses where id = $1',
      [analysisId]
    )
    return rows[0]?.realmId
  },
}

async function rolesOf(kind: string, id: string): Promise<ReachRow> {
  if (!isUuid(id) || (kind !== 'client' && kind !== 'user')) {
    return { program: null, analyses: [] }
  }
  const statement = kind === 'client' ? OF_CLIENT : OF_USER
  const { rows } = await corePool().query<ReachRow>({ ...statement, values: [id] })
  return rows[0]!
}

async function codeBucketsFor(realmId: string | null): Promise<string[]> {
  if (realmId === null || !isUuid(realmId)) {
    return []
  }
  const { rows } = await corePool().query<{ id: string }>({ ...CODE_BUCKETS, values: [realmId] })
  return rows.map(({ id }) => id)
}
