import type pg from 'pg'

/** A client with an old secret. */
export interface OldSecret {
  readonly kind: 'node' | 'analysis'
  readonly id: string
  readonly name: string | null
  readonly clientId: string
  /** When the current secret was set. */
  readonly since: string
}

const OLD = `
  select kind, r.id, name, client_id as "clientId",
    to_char(since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
  from (
    select 'node' as kind, id, name, client_id, created_at from nodes
    union all select 'analysis', id, name, client_id, created_at from analyses
  ) r left join replaced_secrets s on s.record_id = r.id
  cross join lateral (select coalesce(s.replaced_at, r.created_at) as since) age
  where client_id is not null and since < $1 and kind = any($2)
  order by since, r.id`

/** The clients of nodes and analyses with secrets older than `before`, oldest first. */
export async function oldSecrets(
  pool: pg.Pool,
  { before, kinds }: { before: Date; kinds: readonly OldSecret['kind'][] }
): Promise<OldSecret[]> {
  const { rows } = await pool.query<OldSecret>(OLD, [before, kinds])
  return rows
}
