import type { DatabasePool } from '#database/database_pool'

/** The states of an assigned node that the analysis waits for, and since when they hold. */
export interface NodeState {
  readonly assignmentId: string
  readonly nodeId: string
  readonly nodeRealmId: string
  readonly projectNodeId: string | null
  readonly isInProject: boolean
  readonly inProjectSince: Date
  readonly isApproved: boolean
  readonly approvedSince: Date
  readonly hasRegistry: boolean
  readonly registrySince: Date
  readonly isExecuted: boolean
  readonly executedSince: Date
}

/** When a column of a record last changed, or else when the record was created. */
const since = (subject: string, name: string, created: string) =>
  `greatest(a.created_at, coalesce((select h.changed_at from status_history h
     where h.subject_id = ${subject} and h.name = '${name}' order by h.position desc limit 1), ${created}))`

const NODE_STATES = {
  name: 'node-states',
  text: `select a.id as "assignmentId", n.id as "nodeId", n.realm_id as "nodeRealmId",
      p.id as "projectNodeId",
      coalesce(p.approval_status = 'approved', false) as "isInProject",
      ${since('p.id', 'approval_status', 'p.created_at')} as "inProjectSince",
      coalesce(a.approval_status = 'approved', false) as "isApproved",
      ${since('a.id', 'approval_status', 'a.created_at')} as "approvedSince",
      n.registry_id is not null as "hasRegistry",
      ${since('n.id', 'registry_id', 'n.created_at')} as "registrySince",
      coalesce(a.execution_status = 'executed', false) as "isExecuted",
      ${since('a.id', 'execution_status', 'a.created_at')} as "executedSince"
    from analysis_nodes a
    join nodes n on n.id = a.node_id
    left join project_nodes p on p.node_id = n.id and p.project_id = $2
    where a.analysis_id = $1
    order by a.created_at, a.id`,
}

export async function findNodeStates(
  pool: DatabasePool,
  { id, projectId }: { readonly id: string; readonly projectId: string }
): Promise<NodeState[]> {
  const { rows } = await pool.query<NodeState>({ ...NODE_STATES, values: [id, projectId] })
  return rows
}

/** When each column with a history last changed, by column name. */
export async function findLastChanges(
  pool: DatabasePool,
  id: string
): Promise<ReadonlyMap<string, Date>> {
  const { rows } = await pool.query<{ name: string; at: Date }>({
    name: 'last-changes',
    text: `select distinct on (name) name, changed_at as at from status_history
      where subject_id = $1 order by name, position desc`,
    values: [id],
  })
  return new Map(rows.map(({ name, at }) => [name, at]))
}
